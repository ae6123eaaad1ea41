import { dayNames } from '@tidings/contract';
import type { Geozone, Timetable } from '@tidings/events';

const DAY_MINUTES = 1440;

const timeOf = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');

function shownTimetable({ timezoneSeconds, hours, given }: Timetable): Record<string, unknown> {
  if (given !== '') return JSON.parse(given) as Record<string, unknown>;
  const shown: Record<string, { start: string; stop: string }[]> = {};
  for (const { day, start, stop } of hours) {
    (shown[dayNames[day - 1]!] ??= []).push({
      start: timeOf(start),
      stop: timeOf(stop > DAY_MINUTES ? stop - DAY_MINUTES : stop),
    });
  }
  return { timezone: timezoneSeconds, ...shown };
}

export const shownZone = (zone: Geozone) => ({
  id: Number(zone.id),
  name: zone.name,
  lat: zone.lat,
  lng: zone.lng,
  range: zone.rangeMeters,
  cooldown: zone.cooldownSeconds,
  content: zone.content === '' ? null : (JSON.parse(zone.content) as unknown),
  presetCode: zone.preset || null,
  campaign_id: Number(zone.campaignId) || null,
  timetable: zone.timetable ? shownTimetable(zone.timetable) : null,
  status: zone.active,
});

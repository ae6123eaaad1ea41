import type { Timetable } from '@tidings/events';

const DAY_MINUTES = 1440;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** 1970 began on a Thursday. */
const FIRST_WEEKDAY = 3;

/** Excludes `stop`; hours past midnight belong to the day they begin on (R-F3). */
export function isOpen(timetable: Pick<Timetable, 'timezoneSeconds' | 'hours'> | undefined, at: Date): boolean {
  if (!timetable) return true;
  const local = at.getTime() + timetable.timezoneSeconds * 1000;
  const dayNumber = Math.floor(local / DAY_MS);
  const today = ((dayNumber + FIRST_WEEKDAY) % 7) + 1;
  const yesterday = today === 1 ? 7 : today - 1;
  const minute = Math.floor((local - dayNumber * DAY_MS) / MINUTE_MS);
  return timetable.hours.some(({ day, start, stop }) => {
    const since = day === today ? minute : day === yesterday ? minute + DAY_MINUTES : -1;
    return since >= start && since < stop;
  });
}

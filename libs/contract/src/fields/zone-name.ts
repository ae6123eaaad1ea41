import { text } from '../values.ts';

const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

const cache = new Map<string, boolean>();
const MAX_CACHED = 2000;

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function isKnownZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  let found = cache.get(name);
  if (found !== undefined) return found;
  found = isZone(name);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(name, found);
  return found;
}

export const zoneName = text.refine(isKnownZone, 'unknown zone');

/** Each costs more to make than to ask. */
const clocks = new Map<string, Intl.DateTimeFormat>();
const CLOCKS = 100;

function clockOf(zone: string): Intl.DateTimeFormat {
  const cached = clocks.get(zone);
  if (cached) return cached;
  const clock = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (clocks.size >= CLOCKS) clocks.clear();
  clocks.set(zone, clock);
  return clock;
}

function offsetIn(zone: string, instantMs: number): number {
  const parts = new Map(
    clockOf(zone)
      .formatToParts(instantMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const [year, month, day] = [parts.get('year')!, parts.get('month')!, parts.get('day')!];
  const wallMs = Date.UTC(year, month - 1, day, parts.get('hour'), parts.get('minute'), parts.get('second'));
  return wallMs - Math.floor(instantMs / 1000) * 1000;
}

const DAY_MS = 86_400_000;

/** Takes the first of two instants; a skipped time moves forward by the gap (R-I8). @param wallMs the local time as if it were UTC */
export function instantInZone(zone: string, wallMs: number): number {
  // No zone changes its offset twice in two days.
  const [before, after] = [offsetIn(zone, wallMs - DAY_MS), offsetIn(zone, wallMs + DAY_MS)];
  const shown = [wallMs - before, wallMs - after].filter((at) => at + offsetIn(zone, at) === wallMs);
  return shown.length > 0 ? Math.min(...shown) : wallMs - before;
}

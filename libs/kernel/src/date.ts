const FORM = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
const SECONDS = /^-?\d{1,12}(\.\d+)?$/;

const FIRST_MS = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export interface ParsedDate {
  readonly ms: number;
  /** Conditions compare whole UTC days (R-RES15). */
  readonly wholeDay: boolean;
}

function offsetMs(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 14 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function parseText(text: string): ParsedDate | undefined {
  const match = FORM.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, zone] = match;
  const offset = offsetMs(zone);
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  if (!exists || offset === undefined) return undefined;
  if (Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 59) return undefined;
  const timeMs = Number(hour ?? 0) * 3_600_000 + Number(minute ?? 0) * 60_000 + Number(second ?? 0) * 1000;
  return { ms: date.getTime() + timeMs - offset, wholeDay: timeMs === 0 && offset === 0 };
}

const inRange = (date: ParsedDate | undefined): ParsedDate | undefined =>
  date && date.ms >= FIRST_MS && date.ms <= LAST_MS ? date : undefined;

/** `YYYY-MM-DD[ HH:mm[:ss]]` or unix seconds; UTC by default (R-RES8). */
export function parseDate(input: unknown): ParsedDate | undefined {
  if (typeof input === 'number')
    return inRange(Number.isFinite(input) ? { ms: input * 1000, wholeDay: false } : undefined);
  if (typeof input !== 'string') return undefined;
  return inRange(SECONDS.test(input) ? { ms: Number(input) * 1000, wholeDay: false } : parseText(input));
}

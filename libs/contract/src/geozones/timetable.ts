import { z } from 'zod';
import { timezoneSeconds } from '../fields/device.ts';
import { parseWithin } from '../forward.ts';
import { jsonText } from '../lone-surrogates.ts';
import { isGiven } from '../presence.ts';
import { isObject } from '../values.ts';

/** Minutes of the day they start on, 1 = Monday; `stop` is past 1,440 if they end on the next day. */
export interface TimetableHours {
  readonly timezoneSeconds: number;
  readonly hours: { readonly day: number; readonly start: number; readonly stop: number }[];
  readonly given: string;
}

export const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

const fullNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const DAY_MINUTES = 1440;
const MAX_INTERVALS = 2;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

const minutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

type Issue = (path: readonly PropertyKey[], message: string) => void;
type Interval = Omit<TimetableHours['hours'][number], 'day'>;

function readInterval(value: unknown, path: readonly PropertyKey[], issue: Issue): Interval | undefined {
  if (!isObject(value)) return void issue(path, 'must be an object');
  const { start, stop, ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return void issue([...path, unknown], 'unknown key');
  if (typeof start !== 'string' || !TIME.test(start)) return void issue([...path, 'start'], 'must be HH:mm');
  if (typeof stop !== 'string' || !(TIME.test(stop) || stop === '24:00')) {
    return void issue([...path, 'stop'], 'must be HH:mm');
  }
  if (start === stop) return void issue(path, 'start and stop must differ');
  const [from, to] = [minutes(start), minutes(stop) || DAY_MINUTES];
  return { start: from, stop: to > from ? to : to + DAY_MINUTES };
}

function readDay(value: unknown, day: number, issue: Issue): TimetableHours['hours'] {
  const path = [dayNames[day - 1]!];
  if (value === null) return [];
  if (!Array.isArray(value)) {
    issue(path, 'must be an array');
    return [];
  }
  if (value.length > MAX_INTERVALS) issue(path, `at most ${MAX_INTERVALS} entries`);
  const read = value.slice(0, MAX_INTERVALS).map((each, index) => readInterval(each, [...path, index], issue));
  const [first, second] = read;
  if (first && second && first.start < second.stop && second.start < first.stop) {
    issue(path, 'intervals must not overlap');
  }
  return read.flatMap((interval) => (interval ? [{ day, ...interval }] : []));
}

const intervalsSchema = {
  type: ['array', 'null'],
  maxItems: MAX_INTERVALS,
  items: {
    type: 'object',
    properties: {
      start: { type: 'string', description: 'Opening time: `HH:mm`.' },
      stop: {
        type: 'string',
        description:
          'Closing time: `HH:mm`. A time before `start` is on the next day; `00:00` and `24:00` mean the end of ' +
          'the day.',
      },
    },
    required: ['start', 'stop'],
  },
};
const timetableSchema = {
  type: 'object',
  properties: {
    timezone: {
      type: ['integer', 'string', 'null'],
      description: 'Offset of the times from UTC in seconds; 0 if left out.',
    },
    ...Object.fromEntries(
      dayNames.map((name, index) => [name, { ...intervalsSchema, description: `Hours of ${fullNames[index]}.` }]),
    ),
  },
};

export const TIMETABLE =
  'Opening hours by day of the week. On a missing day the zone is closed. Without a timetable the zone is always open.';

export const timetable = z
  .custom<Record<string, unknown>>(isObject, { error: 'must be an object', abort: true })
  .meta(timetableSchema)
  .transform((value, context): TimetableHours => {
    const issue: Issue = (path, message) => {
      context.issues.push({ code: 'custom', message, path: [...path], input: value });
    };
    const { timezone, ...days } = value;
    for (const key of Object.keys(days))
      if (!(dayNames as readonly string[]).includes(key)) issue([key], 'unknown key');
    const offset = parseWithin(timezoneSeconds, timezone ?? 0, context, ['timezone']) ?? 0;
    const hours = dayNames.flatMap((name, index) => (name in days ? readDay(days[name], index + 1, issue) : []));
    const givenDays = Object.entries(days).filter(([, given]) => isGiven(given));
    const given = { ...(isGiven(timezone) ? { timezone: offset } : {}), ...Object.fromEntries(givenDays) };
    return { timezoneSeconds: offset, hours, given: jsonText(given) };
  })
  .describe(TIMETABLE);

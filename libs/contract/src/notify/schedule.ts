import type { z } from 'zod';
import { alternative } from '../presence.ts';
import { boolean, object, oneOf, optional, text } from '../values.ts';

const RFC3339 = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i;

function instantOf(value: string): Date | undefined {
  const day = RFC3339.exec(value)?.[1];
  if (day === undefined) return undefined;
  const start = new Date(`${day}T00:00:00Z`);
  const instant = new Date(value.toUpperCase());
  const exists = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day);
  return exists && !Number.isNaN(instant.getTime()) ? instant : undefined;
}

const at = text
  .refine((value) => instantOf(value) !== undefined, 'must be a time in RFC 3339')
  .meta({ format: 'date-time' })
  .transform((value) => instantOf(value)!);

const AFTER = /^(\d{1,9})(\.\d{1,9})?s$/;
const after = text
  .refine((value) => AFTER.test(value), 'must be a number of seconds such as "5s"')
  .meta({ pattern: AFTER.source })
  .transform((value) => Math.round(Number(value.slice(0, -1)) * 1000));

export const schedule = object({
  at: alternative(at).describe('Time in RFC 3339, at most 365 days ahead. A past time means now.'),
  after: alternative(after).describe('Time from now in seconds, such as `5s`.'),
  follow_user_timezone: optional(boolean).describe(
    'Whether the wall time of `at` in UTC is the local time of every device.',
  ),
  past_timezones_behaviour: optional(oneOf(['SEND_IMMEDIATELY', 'NEXT_DAY', 'SKIP'])).describe(
    'Treatment of time zones where the time has passed: `SEND_IMMEDIATELY`, the default; `NEXT_DAY`; or `SKIP`, ' +
      'which leaves their devices out.',
  ),
})
  .refine((given) => given.at === undefined || given.after === undefined, 'at most one of at, after')
  .transform((given) => ({
    at: given.at,
    afterMs: given.after,
    /** The wall time of `at` in UTC is each device's local time. */
    followsZones: given.follow_user_timezone === true,
    pastOffsets: given.past_timezones_behaviour ?? 'SEND_IMMEDIATELY',
  }));

export type Schedule = z.output<typeof schedule>;

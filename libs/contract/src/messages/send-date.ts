import { type WrittenTime, writtenTime } from '../fields/dates.ts';
import { text } from '../values.ts';

export const UNREADABLE_DATE = 'must be "now" or YYYY-MM-DD HH:mm';

/** Undefined for `now`; a past date means now (R-I7). */
export const sendDate = text
  .transform((value): 'now' | WrittenTime | undefined => (value.toLowerCase() === 'now' ? 'now' : writtenTime(value)))
  .refine((value) => value !== undefined, UNREADABLE_DATE)
  .transform((value) => (value === 'now' ? undefined : value));

import { type WrittenTime, writtenTime } from '../fields/dates.ts';
import { text } from '../values.ts';

/** Why a date is refused that cannot be read, or lies more than 365 days ahead (R-I7). */
export const UNREADABLE_DATE = 'must be "now" or YYYY-MM-DD HH:mm';

/** Undefined for `now` in any case, else the date; the past means now (R-I7). */
export const sendDate = text
  .transform((value): 'now' | WrittenTime | undefined => (value.toLowerCase() === 'now' ? 'now' : writtenTime(value)))
  .refine((value) => value !== undefined, UNREADABLE_DATE)
  .transform((value) => (value === 'now' ? undefined : value));

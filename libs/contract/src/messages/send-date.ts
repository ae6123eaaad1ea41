import { instantOf } from '../fields/dates.ts';
import { text } from '../values.ts';

/** The refusal of a date that is malformed or more than 365 days ahead (R-I7). */
export const UNREADABLE_DATE = 'must be "now" or YYYY-MM-DD HH:mm';

/** `now` in any case, or an instant; a past instant means now (R-I7). */
export const sendDate = text
  .transform((value): 'now' | Date | undefined => (value.toLowerCase() === 'now' ? 'now' : instantOf(value)))
  .refine((value) => value !== undefined, UNREADABLE_DATE)
  .transform((value) => (value === 'now' ? undefined : value));

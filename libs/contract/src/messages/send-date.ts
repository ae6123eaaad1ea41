import { instantOf } from '../fields/dates.ts';
import { text } from '../values.ts';

/** `now` in any case, or an instant; the past means now (R-I7). */
export const sendDate = text
  .transform((value): 'now' | Date | undefined => (value.toLowerCase() === 'now' ? 'now' : instantOf(value)))
  .refine((value) => value !== undefined, 'must be "now" or YYYY-MM-DD HH:mm')
  .transform((value) => (value === 'now' ? undefined : value));

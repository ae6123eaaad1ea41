import { z } from 'zod';
import { identity, integerOf, optional } from '../values.ts';

const CURSOR = /^\d{1,15}\.[^]{1,512}$/;

/** The cursor holds the time and the id of the last entry. */
export const page = {
  after: optional(identity.refine((text) => CURSOR.test(text), 'must be `next` of a page')).describe(
    '`next` of the page before; left out: the first page.',
  ),
  limit: optional(integerOf(1, 500)).describe('Maximum number of entries, up to 500; 100 if left out.'),
};

export const next = z.string().nullable().describe('Continues the list as `after`; null if there is no more.');

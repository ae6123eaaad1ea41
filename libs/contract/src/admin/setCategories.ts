import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { account } from '../fields/account.ts';
import { array, identityOf, object, optional } from '../values.ts';

const MAX_CATEGORIES = 1000;

export const setCategories = admin('setCategories', {
  description: 'Replaces the e-mail categories of an account; an empty list accepts any category.',
  route: 'PUT categories',
  input: object({
    categories: array(identityOf(1, 255))
      .max(MAX_CATEGORIES, `at most ${MAX_CATEGORIES} entries`)
      .describe('E-mail categories that users may choose from; an empty list allows any.'),
    account: optional(account),
  }),
  output: z.object({
    categories: z.array(z.string()).describe('E-mail categories that users may choose from; an empty list allows any.'),
  }),
  examples: [{ request: { categories: ['News', 'Offers'] }, reply: { categories: ['News', 'Offers'] } }],
});

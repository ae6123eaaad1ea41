import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { integer, object, optional } from '../values.ts';

/** Lists the applications that the token may use, oldest first, 100 a page; `page` and `total` are present only if there are more (R-B3). Spec B. */
export const getApplications = json13('getApplications', {
  scope: 'api',
  input: object({
    page: optional(integer.refine((page) => page >= 0, 'must be 0 or more').meta({ minimum: 0 })),
  }).transform(({ page }) => ({
    // Clients count from 0 or from 1.
    page: page || 1,
  })),
  output: z.object({
    applications: z.record(z.string(), z.string()),
    page: z.number().optional(),
    total: z.number().optional(),
  }),
  examples: [
    { request: { auth: 'token', page: 1 }, reply: { applications: { 'A1B2C-3D4E5': 'News' } } },
    { request: { auth: 'token', page: '2' }, reply: { applications: { 'A1B2C-3D4E5': 'News' }, page: 2, total: 2 } },
  ],
});

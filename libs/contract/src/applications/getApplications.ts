import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { integer, object, optional } from '../values.ts';

const PAGE =
  'Page number, from 1, with 100 applications a page; 0 also means the first. Present in the reply only if there are ' +
  'more than 100.';

export const getApplications = json13('getApplications', {
  description:
    'Lists the applications that the token may use, oldest first, 100 a page; `page` and `total` are present only if ' +
    'there are more.',
  scope: 'api',
  input: object({
    page: optional(integer.refine((page) => page >= 0, 'must be 0 or more').meta({ minimum: 0 })).describe(PAGE),
  }).transform(({ page }) => ({
    // Clients count from 0 or from 1.
    page: page || 1,
  })),
  output: z.object({
    applications: z.record(z.string(), z.string()).describe('Titles by application code.'),
    page: z.number().optional().describe(PAGE),
    total: z.number().optional().describe('Number of applications; present only if there are more than 100.'),
  }),
  examples: [
    { request: { auth: 'token', page: 1 }, reply: { applications: { 'A1B2C-3D4E5': 'News' } } },
    { request: { auth: 'token', page: '2' }, reply: { applications: { 'A1B2C-3D4E5': 'News' }, page: 2, total: 2 } },
  ],
});

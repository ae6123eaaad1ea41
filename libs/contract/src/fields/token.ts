import { z } from 'zod';
import { identity } from '../values.ts';

export const tokenId = identity.describe('Identifies the token.');

export const rateLimit = z.object({
  requests: z.number().describe('Size of a burst, and number of requests per period; 0 removes the limit.'),
  seconds: z.number().describe('Length of the period in seconds.'),
});

export const shownToken = z.object({
  id: z.string().describe('Identifies the token.'),
  account: z.string().describe('Identifies the account; the default one if left out.'),
  scope: z.enum(['api', 'device']).describe('Kind of token: `api` or `device`. `server` is a synonym of `api`.'),
  applications: z
    .union([z.literal('all'), z.array(z.string())])
    .describe('Codes of the applications that the token covers, or `all`.'),
  created_at: z.string().nullable().describe('Time of creation: RFC 3339, in UTC.'),
  expires_at: z
    .string()
    .nullable()
    .describe(
      'Expiry of the token: Unix seconds or a date, returned as RFC 3339, in UTC. Without it the token is valid ' +
        'until it is revoked.',
    ),
  rate_limit: rateLimit.nullable().describe('Rate limit of the token; null if there is none.'),
});

export const exampleToken = {
  id: 'tok-1',
  account: 'default',
  scope: 'api' as const,
  applications: 'all' as const,
  created_at: '2026-01-15T12:00:00Z',
  expires_at: null,
  rate_limit: { requests: 100, seconds: 1 },
};

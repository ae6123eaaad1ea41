import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { object } from '../values.ts';

/** All tokens that are valid, without their secrets (R-T8). */
export const listTokens = admin('listTokens', {
  route: 'GET tokens',
  input: object({}),
  output: z.object({
    tokens: z.array(
      z.object({
        id: z.string(),
        account: z.string(),
        scope: z.enum(['api', 'device']),
        applications: z.union([z.literal('all'), z.array(z.string())]),
        created_at: z.string().nullable(),
        expires_at: z.string().nullable(),
        rate_limit: z.object({ requests: z.number(), seconds: z.number() }).nullable(),
      }),
    ),
  }),
  examples: [
    {
      request: {},
      reply: {
        tokens: [
          {
            id: 'tok-1',
            account: 'default',
            scope: 'api',
            applications: 'all',
            created_at: '2026-01-15T12:00:00Z',
            expires_at: null,
            rate_limit: { requests: 100, seconds: 1 },
          },
        ],
      },
    },
  ],
});

import { z } from 'zod';

/** A token in replies, without its secret. */
export const shownToken = z.object({
  id: z.string(),
  account: z.string(),
  scope: z.enum(['api', 'device']),
  applications: z.union([z.literal('all'), z.array(z.string())]),
  created_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  rate_limit: z.object({ requests: z.number(), seconds: z.number() }).nullable(),
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

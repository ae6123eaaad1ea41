import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { number, object } from '../values.ts';

export const advanceClock = admin('advanceClock', {
  description: 'Advances the clock of the whole system; for tests only.',
  route: 'POST clock',
  input: object({
    advance_seconds: number
      .refine((seconds) => seconds >= 0, 'must be 0 or more')
      .meta({ minimum: 0 })
      .describe('Seconds to advance the clock by.'),
  }).transform((request) => ({ ms: Math.round(request.advance_seconds * 1000) })),
  output: z.object({ now: z.string().describe('The new time: RFC 3339, in UTC.') }),
  examples: [{ request: { advance_seconds: 3600 }, reply: { now: '2026-01-15T13:00:00Z' } }],
});

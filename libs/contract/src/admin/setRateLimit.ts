import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { identity, integerOf, object } from '../values.ts';

const MAX_REQUESTS = 1_000_000;
const DAY_SECONDS = 86_400;

/**
 * Limits a token to a burst of `requests`, refilled at `requests` per `seconds`; 0 requests remove the limit. All gateways share the limit and
 * apply a change within 5 seconds (R-LM2, R-T8).
 */
export const setRateLimit = admin('setRateLimit', {
  route: 'PUT tokens/{id}/rate-limit',
  input: object({ id: identity, requests: integerOf(0, MAX_REQUESTS), seconds: integerOf(1, DAY_SECONDS) }),
  output: z.object({ requests: z.number(), seconds: z.number() }),
  examples: [{ request: { id: 'tok-1', requests: 100, seconds: 1 }, reply: { requests: 100, seconds: 1 } }],
});

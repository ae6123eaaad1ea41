import { admin } from '../families/admin.ts';
import { rateLimit, tokenId } from '../fields/token.ts';
import { integerOf, object } from '../values.ts';

const MAX_REQUESTS = 1_000_000;
const DAY_SECONDS = 86_400;

export const setRateLimit = admin('setRateLimit', {
  description:
    'Limits a token to a burst of `requests`, refilled at `requests` per `seconds`; 0 requests remove the limit. All ' +
    'gateways share the limit and apply a change within 5 seconds.',
  route: 'PUT tokens/{id}/rate-limit',
  input: object({
    id: tokenId,
    requests: integerOf(0, MAX_REQUESTS).describe(rateLimit.shape.requests.description!),
    seconds: integerOf(1, DAY_SECONDS).describe(rateLimit.shape.seconds.description!),
  }),
  output: rateLimit,
  examples: [{ request: { id: 'tok-1', requests: 100, seconds: 1 }, reply: { requests: 100, seconds: 1 } }],
});

import { admin } from '../families/admin.ts';
import { exampleSubscription, shownSubscription } from '../fields/subscription.ts';
import { identity, object } from '../values.ts';

/** Returns a subscription (R-T8). */
export const getSubscription = admin('getSubscription', {
  route: 'GET subscriptions/{id}',
  input: object({ id: identity }),
  output: shownSubscription,
  examples: [{ request: { id: 'sub-1' }, reply: exampleSubscription }],
});

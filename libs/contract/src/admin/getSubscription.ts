import { admin } from '../families/admin.ts';
import { exampleSubscription, shownSubscription, subscriptionId } from '../fields/subscription.ts';
import { object } from '../values.ts';

export const getSubscription = admin('getSubscription', {
  description: 'Returns a subscription.',
  route: 'GET subscriptions/{id}',
  input: object({ id: subscriptionId }),
  output: shownSubscription,
  examples: [{ request: { id: 'sub-1' }, reply: exampleSubscription }],
});

import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { exampleSubscription, shownSubscription } from '../fields/subscription.ts';
import { object } from '../values.ts';

export const listSubscriptions = admin('listSubscriptions', {
  description: 'Lists all subscriptions, oldest first.',
  route: 'GET subscriptions',
  input: object({}),
  output: z.object({ subscriptions: z.array(shownSubscription).describe('The subscriptions, oldest first.') }),
  examples: [{ request: {}, reply: { subscriptions: [exampleSubscription] } }],
});

import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { exampleSecret, subscriptionId } from '../fields/subscription.ts';
import { object } from '../values.ts';

export const addSubscriptionSecret = admin('addSubscriptionSecret', {
  description: 'Makes another secret of a subscription by HTTP; earlier ones are valid for 24 hours more.',
  route: 'POST subscriptions/{id}/secret',
  status: 201,
  input: object({ id: subscriptionId }),
  output: z.object({
    secret: z.string().describe('The new secret, returned only here. Earlier secrets are valid for 24 hours more.'),
  }),
  examples: [{ request: { id: 'sub-3' }, reply: { secret: exampleSecret } }],
});

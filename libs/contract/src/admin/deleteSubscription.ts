import { admin } from '../families/admin.ts';
import { subscriptionId } from '../fields/subscription.ts';
import { nothing, object } from '../values.ts';

export const deleteSubscription = admin('deleteSubscription', {
  description: 'Deletes a subscription; its subscriber receives no further events.',
  route: 'DELETE subscriptions/{id}',
  status: 204,
  input: object({ id: subscriptionId }),
  output: nothing,
  examples: [{ request: { id: 'sub-1' }, reply: undefined }],
});

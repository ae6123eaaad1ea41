import { admin } from '../families/admin.ts';
import { subscriptionId } from '../fields/subscription.ts';
import { nothing, object } from '../values.ts';

/** Deletes a subscription; its subscriber receives no further events (R-T8). */
export const deleteSubscription = admin('deleteSubscription', {
  route: 'DELETE subscriptions/{id}',
  status: 204,
  input: object({ id: subscriptionId }),
  output: nothing,
  examples: [{ request: { id: 'sub-1' }, reply: undefined }],
});

import { admin } from '../families/admin.ts';
import { nothing, object, text } from '../values.ts';

/** Ends a subscription: it is told of nothing more (R-T8). */
export const deleteSubscription = admin('deleteSubscription', {
  route: 'DELETE subscriptions/{id}',
  status: 204,
  input: object({ id: text }),
  output: nothing,
  examples: [{ request: { id: 'sub-1' }, reply: undefined }],
});

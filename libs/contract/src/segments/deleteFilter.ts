import { json13 } from '../families/json13.ts';
import { nothing, object, text } from '../values.ts';

/**
 * Deletes a filter by its name; messages and filters that were made with it keep what it held. One that is bound to no application takes
 * a token for all applications (R-T9). Spec N (R-N1).
 */
export const deleteFilter = json13('deleteFilter', {
  scope: 'api',
  input: object({ name: text }),
  output: nothing,
  examples: [{ request: { auth: 'token', name: 'Regulars' }, reply: undefined }],
});

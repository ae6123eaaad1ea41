import { json13 } from '../families/json13.ts';
import { identity, nothing, object } from '../values.ts';

export const deleteFilter = json13('deleteFilter', {
  description:
    'Deletes a segment by name; messages and segments that use it keep its content. A segment that is bound to no ' +
    'application requires a token for all applications.',
  scope: 'api',
  input: object({ name: identity.describe('Name of the segment.') }),
  output: nothing,
  examples: [{ request: { auth: 'token', name: 'Regulars' }, reply: undefined }],
});

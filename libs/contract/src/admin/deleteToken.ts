import { admin } from '../families/admin.ts';
import { tokenId } from '../fields/token.ts';
import { nothing, object } from '../values.ts';

export const deleteToken = admin('deleteToken', {
  description: 'Revokes a token; every gateway refuses it within 5 seconds.',
  route: 'DELETE tokens/{id}',
  status: 204,
  input: object({ id: tokenId }),
  output: nothing,
  examples: [{ request: { id: 'tok-1' }, reply: undefined }],
});

import { admin } from '../families/admin.ts';
import { exampleToken, shownToken, tokenId } from '../fields/token.ts';
import { object } from '../values.ts';

export const getToken = admin('getToken', {
  description: 'Returns a valid token without its secret.',
  route: 'GET tokens/{id}',
  input: object({ id: tokenId }),
  output: shownToken,
  examples: [{ request: { id: 'tok-1' }, reply: exampleToken }],
});

import { admin } from '../families/admin.ts';
import { exampleToken, shownToken } from '../fields/token.ts';
import { identity, object } from '../values.ts';

/** Returns a valid token without its secret (R-T8). */
export const getToken = admin('getToken', {
  route: 'GET tokens/{id}',
  input: object({ id: identity }),
  output: shownToken,
  examples: [{ request: { id: 'tok-1' }, reply: exampleToken }],
});

import { admin } from '../families/admin.ts';
import { exampleToken, shownToken } from '../fields/token.ts';
import { object, text } from '../values.ts';

/** One token, without its secret, as long as it is valid (R-T8). */
export const getToken = admin('getToken', {
  route: 'GET tokens/{id}',
  input: object({ id: text }),
  output: shownToken,
  examples: [{ request: { id: 'tok-1' }, reply: exampleToken }],
});

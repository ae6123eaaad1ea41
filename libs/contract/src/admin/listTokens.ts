import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { exampleToken, shownToken } from '../fields/token.ts';
import { object } from '../values.ts';

export const listTokens = admin('listTokens', {
  description: 'Lists all valid tokens without their secrets.',
  route: 'GET tokens',
  input: object({}),
  output: z.object({ tokens: z.array(shownToken).describe('The valid tokens.') }),
  examples: [{ request: {}, reply: { tokens: [exampleToken] } }],
});

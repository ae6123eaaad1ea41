import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { identityOf, object } from '../values.ts';

export const createAccount = admin('createAccount', {
  description: 'Creates an account in addition to the default one.',
  route: 'POST accounts',
  status: 201,
  input: object({ name: identityOf(1, 255).describe('Name of the account.') }),
  output: z.object({ account: z.string().describe('Identifies the new account.') }),
  examples: [{ request: { name: 'Example Ltd' }, reply: { account: 'acc-2' } }],
});

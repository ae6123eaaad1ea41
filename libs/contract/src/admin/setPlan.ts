import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { account } from '../fields/account.ts';
import { boolean, object } from '../values.ts';

export const setPlan = admin('setPlan', {
  description:
    'Restricts an account to registering e-mail contacts, or allows all devices, the default; existing registrations ' +
    'stay.',
  route: 'PUT accounts/{account}/plan',
  input: object({
    account: account.describe('Identifies the account.'),
    email_only: boolean.describe('Whether only e-mail contacts can be registered.'),
  }),
  output: z.object({ email_only: z.boolean().describe('Whether only e-mail contacts can be registered.') }),
  examples: [{ request: { account: 'A1B2C-3D4E5', email_only: true }, reply: { email_only: true } }],
});

import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { account } from '../fields/account.ts';
import { senderAddress } from '../fields/email-address.ts';
import { array, boolean, object, optional } from '../values.ts';

const MAX_SENDERS = 1000;

export const setSenders = admin('setSenders', {
  description:
    "Sets the permitted sender and reply-to addresses of an account's mail: with `required` only those in " +
    '`verified`, otherwise any. Replaces both values; existing configurations of applications stay.',
  route: 'PUT senders',
  input: object({
    required: boolean.describe('Whether senders must be verified addresses.'),
    verified: array(senderAddress)
      .max(MAX_SENDERS, `at most ${MAX_SENDERS} entries`)
      .describe('The verified addresses.'),
    account: optional(account),
  }),
  output: z.object({
    required: z.boolean().describe('Whether senders must be verified addresses.'),
    verified: z.array(z.string()).describe('The verified addresses.'),
  }),
  examples: [
    {
      request: { required: true, verified: ['News@example.com'] },
      reply: { required: true, verified: ['news@example.com'] },
    },
  ],
});

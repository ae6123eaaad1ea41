import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { account } from '../fields/account.ts';
import { next, page } from '../fields/page.ts';
import { object, oneOf, optional } from '../values.ts';

const reasons = ['blacklist', 'complaint'] as const;

export const listSuppressions = admin('listSuppressions', {
  description:
    "Lists the addresses on an account's blacklist, or those that complained, newest first. Addresses are stored as " +
    'hashes: the text of one is known while a contact has it, and addresses cannot be listed by their beginning.',
  route: 'GET suppressions',
  input: object({
    reason: oneOf(reasons).describe('`blacklist` or `complaint`.'),
    account: optional(account),
    ...page,
  }),
  output: z.object({
    suppressions: z
      .array(
        z.object({
          hash: z.string().describe('Keyed hash of the address, by which it is stored.'),
          address: z
            .string()
            .nullable()
            .describe("The address in lower case; null if no contact of the account's oldest 100 applications has it."),
          blacklisted_at: z
            .string()
            .nullable()
            .describe('Time since which it is blacklisted: RFC 3339, in UTC; null if it is not.'),
          complained_at: z
            .string()
            .nullable()
            .describe('Time of its first complaint: RFC 3339, in UTC; null without one.'),
        }),
      )
      .describe('The addresses, newest first.'),
    next,
  }),
  examples: [
    {
      request: { reason: 'blacklist', account: 'default', limit: 1 },
      reply: {
        suppressions: [
          {
            hash: 'Zm9vYmFyYmF6cXV4Zm9vYg',
            address: 'anna@example.com',
            blacklisted_at: '2026-01-15T12:00:00Z',
            complained_at: null,
          },
        ],
        next: '1768478400000.default:Zm9vYmFyYmF6cXV4Zm9vYg',
      },
    },
    {
      request: { reason: 'complaint', after: '1768478400000.default:Zm9vYmFyYmF6cXV4Zm9vYg' },
      reply: { suppressions: [], next: null },
    },
  ],
});

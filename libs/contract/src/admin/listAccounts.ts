import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { next, page } from '../fields/page.ts';
import { object } from '../values.ts';

export const listAccounts = admin('listAccounts', {
  description: 'Lists accounts, newest first.',
  route: 'GET accounts',
  input: object(page),
  output: z.object({
    accounts: z
      .array(
        z.object({
          account: z.string().describe('Identifies the account.'),
          name: z.string().describe('Name of the account.'),
          created_at: z.string().nullable().describe('Time of creation: RFC 3339, in UTC.'),
          email_only: z.boolean().describe('Whether only e-mail contacts can be registered.'),
        }),
      )
      .describe('The accounts, newest first.'),
    next,
  }),
  examples: [
    {
      request: { limit: 1 },
      reply: {
        accounts: [{ account: 'acc-2', name: 'Example Ltd', created_at: '2026-01-15T12:00:00Z', email_only: false }],
        next: '1768478400000.acc-2',
      },
    },
    {
      request: { after: '1768478400000.acc-2' },
      reply: {
        accounts: [{ account: 'default', name: 'Default', created_at: '2026-01-01T12:00:00Z', email_only: false }],
        next: null,
      },
    },
  ],
});

import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { account } from '../fields/account.ts';
import { next, page } from '../fields/page.ts';
import { object, optional } from '../values.ts';

export const listGroups = admin('listGroups', {
  description: 'Lists the application groups of an account, newest first.',
  route: 'GET groups',
  input: object({ account: optional(account), ...page }),
  output: z.object({
    groups: z
      .array(
        z.object({
          code: z.string().describe('Code of the group.'),
          name: z.string().describe('Name of the group.'),
          applications: z.array(z.string()).describe('Codes of the applications, deleted ones included.'),
          created_at: z.string().nullable().describe('Time of creation: RFC 3339, in UTC.'),
        }),
      )
      .describe('The groups, newest first.'),
    next,
  }),
  examples: [
    {
      request: { account: 'acc-2', limit: 100 },
      reply: {
        groups: [
          {
            code: 'B1B2C-3D4E5',
            name: 'Europe',
            applications: ['A1B2C-3D4E5'],
            created_at: '2026-01-15T12:00:00Z',
          },
        ],
        next: null,
      },
    },
    { request: { after: '1768478400000.B1B2C-3D4E5' }, reply: { groups: [], next: null } },
  ],
});

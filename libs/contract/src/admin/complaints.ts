import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { account } from '../fields/account.ts';
import { emailAddress } from '../fields/email-address.ts';
import { nothing, object, optional } from '../values.ts';

const input = object({ address: emailAddress, account: optional(account) });
const output = z.object({
  address: z.string().describe('E-mail address, case-insensitive.'),
  complained_at: z.string().describe('Time of the complaint: RFC 3339, in UTC.'),
});
const examples = [
  {
    request: { address: 'Anna@example.com' },
    reply: { address: 'anna@example.com', complained_at: '2026-01-15T12:00:00Z' },
  },
];

export const getComplaint = admin('getComplaint', {
  description: "Returns the time of an address's complaint about the account's mail; `account` is a query parameter.",
  route: 'GET complaints/{address}',
  input,
  output,
  examples,
});

export const recordComplaint = admin('recordComplaint', {
  description:
    "Records a complaint about the account's mail, as a complaint report does; a repeated complaint keeps the first " +
    'time.',
  route: 'PUT complaints/{address}',
  input,
  output,
  examples,
});

export const clearComplaint = admin('clearComplaint', {
  description: 'Clears the complaint of an address; nothing else clears it. `account` is a query parameter.',
  route: 'DELETE complaints/{address}',
  status: 204,
  input,
  output: nothing,
  examples: [{ request: { address: 'anna@example.com' }, reply: undefined }],
});

import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { account } from '../fields/account.ts';
import { emailAddress } from '../fields/email-address.ts';
import { nothing, object, optional } from '../values.ts';

/** Of the path, and of the query or body. */
const input = object({ address: emailAddress, account: optional(account) });
const output = z.object({ address: z.string(), complained_at: z.string() });
const examples = [
  {
    request: { address: 'Anna@example.com' },
    reply: { address: 'anna@example.com', complained_at: '2026-01-15T12:00:00Z' },
  },
];

/** Since when an address has complained of an account's mail; `account` is of the query (R-E14, R-T8). */
export const getComplaint = admin('getComplaint', { route: 'GET complaints/{address}', input, output, examples });

/** Records that an address has complained of an account's mail, as a complaint report does; it keeps the time of the first (R-E14). */
export const recordComplaint = admin('recordComplaint', {
  route: 'PUT complaints/{address}',
  input,
  output,
  examples,
});

/** Clears the complaint of an address, which nobody else does; `account` is of the query (R-E14, R-T8). */
export const clearComplaint = admin('clearComplaint', {
  route: 'DELETE complaints/{address}',
  status: 204,
  input,
  output: nothing,
  examples: [{ request: { address: 'anna@example.com' }, reply: undefined }],
});

import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { account } from '../fields/account.ts';
import { emailAddress } from '../fields/email-address.ts';
import { nothing, object, optional } from '../values.ts';

const input = object({ address: emailAddress, account: optional(account) });
const output = z.object({
  address: z.string().describe('E-mail address, case-insensitive.'),
  blacklisted_at: z.string().describe('Time since which the address is blacklisted: RFC 3339, in UTC.'),
});
const examples = [
  {
    request: { address: 'Anna@example.com' },
    reply: { address: 'anna@example.com', blacklisted_at: '2026-01-15T12:00:00Z' },
  },
];

export const getBlacklisted = admin('getBlacklisted', {
  description: "Returns the time since which an address is on the account's blacklist; `account` is a query parameter.",
  route: 'GET blacklist/{address}',
  input,
  output,
  examples,
});

export const blacklistAddress = admin('blacklistAddress', {
  description:
    "Adds an address to the account's blacklist, as a hard bounce does; an address that is already listed keeps its " +
    'time.',
  route: 'PUT blacklist/{address}',
  input,
  output,
  examples,
});

export const clearAddress = admin('clearAddress', {
  description:
    "Removes an address from the account's blacklist; nothing else removes it. `account` is a query parameter.",
  route: 'DELETE blacklist/{address}',
  status: 204,
  input,
  output: nothing,
  examples: [{ request: { address: 'anna@example.com' }, reply: undefined }],
});

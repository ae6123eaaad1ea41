import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { account } from '../fields/account.ts';
import { emailAddress } from '../fields/email-address.ts';
import { nothing, object, optional } from '../values.ts';

/** Of the path, and of the query or body. */
const input = object({ address: emailAddress, account: optional(account) });
const output = z.object({ address: z.string(), blacklisted_at: z.string() });
const examples = [
  {
    request: { address: 'Anna@example.com' },
    reply: { address: 'anna@example.com', blacklisted_at: '2026-01-15T12:00:00Z' },
  },
];

/** Since when an address has been on an account's blacklist; `account` is of the query (R-E5, R-T8). */
export const getBlacklisted = admin('getBlacklisted', { route: 'GET blacklist/{address}', input, output, examples });

/** Puts an address on an account's blacklist, as a hard bounce does; it keeps the time where it is there already (R-E5). */
export const blacklistAddress = admin('blacklistAddress', {
  route: 'PUT blacklist/{address}',
  input,
  output,
  examples,
});

/** Takes an address off an account's blacklist, which nobody else does; `account` is of the query (R-E5, R-T8). */
export const clearAddress = admin('clearAddress', {
  route: 'DELETE blacklist/{address}',
  status: 204,
  input,
  output: nothing,
  examples: [{ request: { address: 'anna@example.com' }, reply: undefined }],
});

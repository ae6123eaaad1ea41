import { createHash } from 'node:crypto';

/** Names a credential by what it consists of, without telling it: equal credentials of different applications have one fingerprint. */
export const fingerprint = (channel: string, parts: readonly string[]): string =>
  `${channel}-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}`;

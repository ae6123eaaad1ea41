import { createHash } from 'node:crypto';

/** Equal credentials of different applications have one fingerprint, which does not reveal them. */
export const fingerprint = (channel: string, parts: readonly string[]): string =>
  `${channel}-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}`;

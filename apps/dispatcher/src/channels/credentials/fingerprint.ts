import { createHash } from 'node:crypto';

/** Identifies a credential by its content without revealing it: equal credentials of different applications have one fingerprint. */
export const fingerprint = (channel: string, parts: readonly string[]): string =>
  `${channel}-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}`;

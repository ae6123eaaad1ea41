import { hash, timingSafeEqual } from 'node:crypto';

/** The identifier of a secret inside this process. */
export const fingerprint = (secret: string): string => hash('sha256', secret, 'base64url');

/** Compares with a secret that never leaves this closure, in constant time. */
export function isSecret(secret: string): (given: string) => boolean {
  const expected = hash('sha256', secret, 'buffer');
  return (given) => timingSafeEqual(hash('sha256', given, 'buffer'), expected);
}

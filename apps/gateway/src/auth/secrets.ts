import { hash, timingSafeEqual } from 'node:crypto';

export const fingerprint = (secret: string): string => hash('sha256', secret, 'base64url');

/** In constant time. */
export function isSecret(secret: string): (given: string) => boolean {
  const expected = hash('sha256', secret, 'buffer');
  return (given) => timingSafeEqual(hash('sha256', given, 'buffer'), expected);
}

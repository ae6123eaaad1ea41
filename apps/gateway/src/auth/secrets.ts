import { hash, timingSafeEqual } from 'node:crypto';

const SCHEME = /^(?:token|api|key|bearer)\s+(.*)$/is;

/** The secret in an Authorization header: any scheme word is accepted, and so is a bare token (R-T3). */
export function secretOf(header: string | undefined): string | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  return SCHEME.exec(text)?.[1] ?? text;
}

/** The identifier of a secret inside this process. */
export const fingerprint = (secret: string): string => hash('sha256', secret, 'base64url');

/** Compares with a secret that never leaves this closure, in constant time. */
export function isSecret(secret: string): (given: string) => boolean {
  const expected = hash('sha256', secret, 'buffer');
  return (given) => timingSafeEqual(hash('sha256', given, 'buffer'), expected);
}

import { hash, timingSafeEqual } from 'node:crypto';

const SCHEME = /^(?:token|api|key|bearer)\s+(.*)$/is;

/** The secret in an Authorization header: scheme words are interchangeable, and a bare token is accepted (R-T3). */
export function secretOf(header: string | undefined): string | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  return SCHEME.exec(text)?.[1] ?? text;
}

/** What a secret is known by inside this process. */
export const fingerprint = (secret: string): string => hash('sha256', secret, 'base64url');

/** Compares with a secret that never leaves this closure, in a time that tells nothing of it. */
export function isSecret(secret: string): (given: string) => boolean {
  const expected = hash('sha256', secret, 'buffer');
  return (given) => timingSafeEqual(hash('sha256', given, 'buffer'), expected);
}

import { type KeyObject, verify } from 'node:crypto';

/** Not verified. */
export interface Jwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

const objectOf = (part: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
};

/** Undefined if it is malformed. */
export const parseJwt = (token: string): Jwt | undefined => {
  const parts = token.split('.');
  if (parts.length !== 3 || !parts.every((part) => /^[\w-]+$/.test(part))) return undefined;
  const [first, second, third] = parts as [string, string, string];
  const header = objectOf(first);
  const claims = objectOf(second);
  if (header === undefined || claims === undefined) return undefined;
  return { header, claims, signed: Buffer.from(`${first}.${second}`), signature: Buffer.from(third, 'base64url') };
};

/** ES256 and RS256. */
export const isSignedBy = ({ signed, signature }: Jwt, key: KeyObject): boolean => {
  try {
    return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
};

import { type KeyObject, verify } from 'node:crypto';
import { type Fields, objectIn } from './fields.ts';

/** Not verified. */
export interface Jwt {
  readonly header: Fields;
  readonly claims: Fields;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

const objectOf = (part: string): Fields | undefined => objectIn(Buffer.from(part, 'base64url').toString('utf8'));

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

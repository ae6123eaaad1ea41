import { type KeyObject, sign } from 'node:crypto';

const encoded = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');

export function signedJwt(key: KeyObject, header: Readonly<Record<string, string>>, claims: unknown): string {
  const elliptic = key.asymmetricKeyType === 'ec';
  const text = `${encoded({ alg: elliptic ? 'ES256' : 'RS256', ...header })}.${encoded(claims)}`;
  const signature = sign('sha256', Buffer.from(text), elliptic ? { key, dsaEncoding: 'ieee-p1363' } : key);
  return `${text}.${signature.toString('base64url')}`;
}

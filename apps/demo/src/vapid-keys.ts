import { generateKeyPairSync } from 'node:crypto';

/** RFC 8292: an uncompressed point and a scalar, in base64url. */
export function generateVapidKeys(): { readonly publicKey: string; readonly privateKey: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: d };
}

import { createPrivateKey, type KeyObject } from 'node:crypto';

/** Permitted sizes of RSA keys in bits: a smaller one can be broken, a larger one costs a signature tens of milliseconds. */
const RSA_BITS = { least: 2048, most: 4096 };
/** The largest permitted public exponent in bits: programs write 65537. */
const MAX_EXPONENT_BITS = 64;
/** Permitted curves. */
const CURVES: ReadonlySet<unknown> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
/** Maximum characters of a private key in PEM: one of RSA with 4096 bits has 3,300. */
const MAX_PLAIN_CHARACTERS = 16 * 1024;

const bitsOf = (base64url: string): number => Buffer.from(base64url, 'base64url').length * 8;

/**
 * Checks that a private key signs within a few milliseconds: RSA of 2048 to 4096 bits, or a curve P-256, P-384 or P-521. All numbers of an RSA key
 * are checked: a private exponent may be far longer than the modulus.
 * @throws RangeError for another key
 */
export function checkedKey(key: KeyObject): KeyObject {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key;
  if (type === 'ec') {
    if (!CURVES.has(details.namedCurve)) throw new RangeError('a key on a curve that is not used');
    return key;
  }
  if (type !== 'rsa') throw new RangeError('a key of a kind that is not used');
  const bits = details.modulusLength ?? 0;
  if (bits < RSA_BITS.least || bits > RSA_BITS.most) {
    throw new RangeError(`an RSA key must have ${RSA_BITS.least} to ${RSA_BITS.most} bits`);
  }
  const { e = '', kty: _, ...numbers } = key.export({ format: 'jwk' });
  const isLong = Object.values(numbers).some((number) => bitsOf(String(number)) > bits + 7);
  if (isLong || bitsOf(e) > MAX_EXPONENT_BITS) throw new RangeError('an RSA key with oversized numbers');
  return key;
}

/**
 * Opens an unencrypted private key in PEM; takes a millisecond at most.
 * @throws RangeError for a text above 16,384 characters, or a key that {@link checkedKey} refuses; TypeError or Error for other text
 */
export function openPlainKey(pem: string): KeyObject {
  if (pem.length > MAX_PLAIN_CHARACTERS) throw new RangeError('the key is too large');
  return checkedKey(createPrivateKey(pem));
}

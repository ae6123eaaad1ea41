import { createPrivateKey, type KeyObject } from 'node:crypto';
import { type PemBlock, pemBlocks } from './pem.ts';

export type KeyFaultName =
  | 'unusable_key'
  | 'wrong_password'
  | 'encrypted_key'
  | 'missing_key'
  | 'unsupported_key'
  | 'key_file_limits';

export class KeyError extends Error {
  readonly reason: KeyFaultName;

  constructor(reason: KeyFaultName, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface KeyRules {
  /** @default RSA, and the curves P-256, P-384 and P-521 */
  readonly types?: readonly ('rsa' | 'ec' | 'ed25519')[];
  /** @default 2048 */
  readonly leastRsaBits?: number;
}

const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 4096;
const MAX_EXPONENT_BITS = 64;
const CURVES: ReadonlySet<unknown> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
const MAX_PLAIN_CHARACTERS = 16 * 1024;

const bitsOf = (base64url: string): number => Buffer.from(base64url, 'base64url').length * 8;

const unsupported = (message: string): KeyError => new KeyError('unsupported_key', message);

/** A private exponent may be far longer than the modulus. */
function checkRsa(key: KeyObject, leastBits: number): void {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < leastBits || bits > MAX_RSA_BITS)
    throw unsupported(`an RSA key must have ${leastBits} to ${MAX_RSA_BITS} bits`);
  const { e = '', kty: _, ...numbers } = key.export({ format: 'jwk' });
  const isLong = Object.values(numbers).some((number) => bitsOf(String(number)) > bits + 7);
  if (isLong || bitsOf(e) > MAX_EXPONENT_BITS) throw unsupported('an RSA key with oversized numbers');
}

export function checkedKey(key: KeyObject, rules: KeyRules = {}): KeyObject {
  const { types = ['rsa', 'ec'], leastRsaBits = MIN_RSA_BITS } = rules;
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (!types.some((each) => each === type)) throw unsupported('a key of a kind that is not used');
  if (type === 'ec' && !CURVES.has(details?.namedCurve)) throw unsupported('a key on a curve that is not used');
  if (type === 'rsa') checkRsa(key, leastRsaBits);
  return key;
}

function keyIn(der: Buffer, type: 'pkcs8' | 'pkcs1' | 'sec1'): KeyObject | undefined {
  try {
    return createPrivateKey({ key: der, format: 'der', type });
  } catch {
    return undefined;
  }
}

export function derKey(der: Buffer): KeyObject {
  const key = keyIn(der, 'pkcs8') ?? keyIn(der, 'sec1') ?? keyIn(der, 'pkcs1');
  if (!key) throw new KeyError('unusable_key', 'a private key of no known structure');
  return key;
}

export const isKey = ({ label }: PemBlock): boolean => /^(?:[A-Z0-9]+ )*PRIVATE KEY$/.test(label);
export const isEncrypted = ({ label, headers }: PemBlock): boolean =>
  label === 'ENCRYPTED PRIVATE KEY' || headers.length > 0;

export function openPlainKey(pem: string, rules?: KeyRules): KeyObject {
  if (pem.length > MAX_PLAIN_CHARACTERS) throw new KeyError('key_file_limits', 'the key is too large');
  const block = [...pemBlocks(pem)].find(isKey);
  if (!block) throw new KeyError('missing_key', 'no private key in PEM');
  if (isEncrypted(block)) throw new KeyError('encrypted_key', 'the key is encrypted');
  return checkedKey(derKey(block.der), rules);
}

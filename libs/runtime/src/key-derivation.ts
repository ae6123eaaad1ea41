import { hash, pbkdf2Sync, scryptSync } from 'node:crypto';
import { bytesOf, childrenOf, isInteger, type Node, numberOf, oidOf } from './ber.ts';
import { KeyError } from './private-keys.ts';

/** keytool 9 to 15 needs 350,000. */
const MAX_ROUNDS = 500_000;
/** N·r·p; OpenSSL writes 131,072. */
const MAX_SCRYPT_WORK = 2 ** 18;
const MAX_SCRYPT_BYTES = 32 * 1024 * 1024;

const limit = (message: string): KeyError => new KeyError('key_file_limits', message);

export class Work {
  #rounds = 0;
  #scrypt = 0;

  spend(rounds: number): void {
    this.#rounds += rounds;
    if (!(this.#rounds <= MAX_ROUNDS)) throw limit('too many rounds of key derivation');
  }

  spendScrypt(n: number, r: number, p: number): void {
    if (!(128 * n * r <= MAX_SCRYPT_BYTES)) throw limit('too much memory for key derivation');
    this.#scrypt += n * r * p;
    if (!(this.#scrypt <= MAX_SCRYPT_WORK)) throw limit('too much work of key derivation');
  }
}

export interface Password {
  readonly octets: Buffer;
  readonly bmp: Buffer;
}

const bmpOf = (text: string): Buffer => Buffer.concat([Buffer.from(text, 'utf16le').swap16(), Buffer.alloc(2)]);

export function passwordForms(password: string): readonly Password[] {
  const octets = Buffer.from(password);
  const own = { octets, bmp: bmpOf(password) };
  if (password === '') return [own, { octets, bmp: Buffer.alloc(0) }];
  const widened = octets.toString('latin1');
  return widened === password ? [own] : [own, { octets, bmp: bmpOf(widened) }];
}

interface Digest {
  readonly name: string;
  readonly bytes: number;
  readonly block: number;
}

const sha1: Digest = { name: 'sha1', bytes: 20, block: 64 };
const sha224: Digest = { name: 'sha224', bytes: 28, block: 64 };
const sha256: Digest = { name: 'sha256', bytes: 32, block: 64 };
const sha384: Digest = { name: 'sha384', bytes: 48, block: 128 };
const sha512: Digest = { name: 'sha512', bytes: 64, block: 128 };

const digests: ReadonlyMap<string, Digest> = new Map([
  ['1.2.840.113549.2.5', { name: 'md5', bytes: 16, block: 64 }],
  ['1.3.14.3.2.26', sha1],
  ['2.16.840.1.101.3.4.2.4', sha224],
  ['2.16.840.1.101.3.4.2.1', sha256],
  ['2.16.840.1.101.3.4.2.2', sha384],
  ['2.16.840.1.101.3.4.2.3', sha512],
]);

const hmacs: ReadonlyMap<string, Digest> = new Map([
  ['1.2.840.113549.2.7', sha1],
  ['1.2.840.113549.2.8', sha224],
  ['1.2.840.113549.2.9', sha256],
  ['1.2.840.113549.2.10', sha384],
  ['1.2.840.113549.2.11', sha512],
]);

const found = (table: ReadonlyMap<string, Digest>, oid: string): Digest => {
  const value = table.get(oid);
  if (!value) throw new TypeError(`unknown hash ${oid}`);
  return value;
};

export const digestOf = (oid: string): Digest => found(digests, oid);
export const hmacOf = (oid: string): Digest => found(hmacs, oid);

/** RFC 7292 B.3. */
export const Purpose = { key: 1, iv: 2, mac: 3 } as const;

export interface Pkcs12Derivation {
  readonly digest: Digest;
  readonly purpose: (typeof Purpose)[keyof typeof Purpose];
  readonly salt: Buffer;
  readonly rounds: number;
  readonly bytes: number;
}

const repeated = (bytes: Buffer, block: number): Buffer =>
  Buffer.alloc(Math.ceil(bytes.length / block) * block, bytes.length > 0 ? bytes : 0);

function increase(buffer: Buffer, addend: Buffer): void {
  for (let from = 0; from < buffer.length; from += addend.length) {
    let carry = 1;
    for (let i = addend.length - 1; i >= 0; i--) {
      carry += buffer[from + i]! + addend[i]!;
      buffer[from + i] = carry & 0xff;
      carry >>= 8;
    }
  }
}

/** RFC 7292 B.2. */
export function pkcs12Key(bmp: Buffer, derivation: Pkcs12Derivation, work: Work): Buffer {
  const { digest, purpose, salt, rounds, bytes } = derivation;
  const { name, block } = digest;
  const count = Math.ceil(bytes / digest.bytes);
  work.spend(rounds * count);
  const diversifier = Buffer.alloc(block, purpose);
  const input = Buffer.concat([repeated(salt, block), repeated(bmp, block)]);
  const parts: Buffer[] = [];
  while (parts.length < count) {
    let part = hash(name, Buffer.concat([diversifier, input]), 'buffer');
    for (let round = 1; round < rounds; round++) part = hash(name, part, 'buffer');
    parts.push(part);
    increase(input, Buffer.alloc(block, part));
  }
  return Buffer.concat(parts).subarray(0, bytes);
}

const PBKDF2 = '1.2.840.113549.1.5.12';
const SCRYPT = '1.3.6.1.4.1.11591.4.11';
const HMAC_SHA1 = '1.2.840.113549.2.7';

export function derivedKey(derivation: Node | undefined, octets: Buffer, bytes: number, work: Work): Buffer {
  const [oid, parameters] = childrenOf(derivation);
  const [saltNode, ...values] = childrenOf(parameters);
  const salt = bytesOf(saltNode);
  const numbers = values.filter(isInteger).map(numberOf);
  if (oidOf(oid) === SCRYPT) {
    const [N = Infinity, r = Infinity, p = Infinity] = numbers;
    work.spendScrypt(N, r, p);
    return scryptSync(octets, salt, bytes, { N, r, p, maxmem: 2 * MAX_SCRYPT_BYTES });
  }
  if (oidOf(oid) !== PBKDF2) throw new TypeError(`unknown key derivation ${oidOf(oid)}`);
  const [rounds = Infinity] = numbers;
  const prf = values.find((node) => childrenOf(node).length > 0);
  const { name, bytes: step } = hmacOf(prf ? oidOf(childrenOf(prf)[0]) : HMAC_SHA1);
  work.spend(rounds * Math.ceil(bytes / step));
  return pbkdf2Sync(octets, salt, rounds, bytes, name);
}

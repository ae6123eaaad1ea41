import { createHash, randomBytes } from 'node:crypto';
import { Fault } from './fault.ts';

const BASE62 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const BASE62_VALUES = new Map([...BASE62].map((character, value) => [character, BigInt(value)]));

export function toBase62(value: bigint | number): string {
  let rest = BigInt(value);
  if (rest < 0n) throw new RangeError('negative number');
  let text = '';
  do {
    text = BASE62.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  } while (rest > 0n);
  return text;
}

export function fromBase62(text: string): bigint | undefined {
  if (text.length === 0 || text.length > 11) return undefined;
  let value = 0n;
  for (const character of text) {
    const digit = BASE62_VALUES.get(character);
    if (digit === undefined) return undefined;
    value = value * 62n + digit;
  }
  return value;
}

const hex = (digits: number): string =>
  randomBytes(Math.ceil(digits / 2))
    .toString('hex')
    .slice(0, digits)
    .toUpperCase();

/** Random, `XXXXX-XXXXX` in upper-case hex (R-RES1). */
export const newCode = (): string => `${hex(5)}-${hex(5)}`;

/** Random 4-8-8; the first digit is the log, 0 to 15. */
export const newMessageCode = (log: number): string => `${log.toString(16).toUpperCase()}${hex(3)}-${hex(8)}-${hex(8)}`;

export const messageLogOf = (code: string): number => Number.parseInt(code.charAt(0), 16);

export const sendIdOf = ({ message, bucket }: { readonly message: string; readonly bucket: number }): string =>
  bucket === 0 ? message : `${message}/${bucket}`;

export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
  }
  return text;
}

const ID_EPOCH = Date.UTC(2020, 0, 1);
const IDS_PER_MS = 128;

export const REPLICAS = 32;

export interface ReplicaNumber {
  /** Undefined while another process may have the number. */
  current(): number | undefined;
}

/** Ordered by time, below 2^53. @throws Fault `unavailable` without a number */
export function numberIds(now: () => number, replica: ReplicaNumber): () => number {
  let ms = 0;
  let count = IDS_PER_MS;
  return () => {
    const number = replica.current();
    if (number === undefined) {
      const internal = 'the lease of the number for ids is over';
      throw new Fault('unavailable', 'The service cannot assign ids at the moment', { internal, effect: 'none' });
    }
    const current = now() - ID_EPOCH;
    if (current > ms) {
      ms = current;
      count = 0;
    } else if (count === IDS_PER_MS) {
      ms += 1;
      count = 0;
    }
    return (ms * REPLICAS + number) * IDS_PER_MS + count++;
  };
}

/** Milliseconds since 1970; approximate if many were generated at once. */
export const createdAtOf = (id: bigint): number => Number(id / BigInt(REPLICAS * IDS_PER_MS)) + ID_EPOCH;

export function bucketOf(text: string, buckets: number): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) % buckets;
}

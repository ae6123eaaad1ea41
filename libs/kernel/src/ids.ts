import { createHash, randomBytes } from 'node:crypto';
import { Fault } from './fault.ts';

const BASE62 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const BASE62_VALUES = new Map([...BASE62].map((character, value) => [character, BigInt(value)]));

/** Base 62 over `0-9a-zA-Z`, as in the statistics hash (R-I30). */
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

/** The number written in base 62; undefined for any other text, or one longer than 11 characters. */
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

/** A random code of the form `XXXXX-XXXXX` in upper-case hex: applications, campaigns, segments, groups (R-RES1). */
export const newCode = (): string => `${hex(5)}-${hex(5)}`;

/** A random message code of the form 4-8-8 whose first digit names its log, 0 to 15 (architecture 4, R-RES1). */
export const newMessageCode = (log: number): string => `${log.toString(16).toUpperCase()}${hex(3)}-${hex(8)}-${hex(8)}`;

/** The number of a message's log: the first digit of its code. */
export const messageLogOf = (code: string): number => Number.parseInt(code.charAt(0), 16);

/** The id of a separately sent part of a message: message code and bucket; the message code alone for bucket 0, the whole. */
export const sendIdOf = ({ message, bucket }: { readonly message: string; readonly bucket: number }): string =>
  bucket === 0 ? message : `${message}/${bucket}`;

/** Random base-62 text of `length` characters. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
  }
  return text;
}

const ID_EPOCH = Date.UTC(2020, 0, 1);
const IDS_PER_MS = 128;

/** Maximum number of processes that generate ids of one kind at the same time. */
export const REPLICAS = 32;

/** A number of this process, 0 to 31, unique among the processes that generate ids of the same kind. */
export interface ReplicaNumber {
  /** The number; undefined while another process may have it. */
  held(): number | undefined;
}

/**
 * Unique numbers that are ordered by time and below 2^53 (architecture 5): milliseconds since 2020, five bits of the replica, seven of a counter.
 * Beyond 128 in a millisecond the next one is used.
 * @throws Fault `unavailable` while the process has no number
 */
export function numberIds(now: () => number, replica: ReplicaNumber): () => number {
  let ms = 0;
  let count = IDS_PER_MS;
  return () => {
    const number = replica.held();
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

/** The time of such a number in milliseconds since 1970; approximate if many were generated at once. */
export const madeAtOf = (id: bigint): number => Number(id / BigInt(REPLICAS * IDS_PER_MS)) + ID_EPOCH;

/** A number in 0..buckets-1 that depends only on the text. */
export function bucketOf(text: string, buckets: number): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) % buckets;
}

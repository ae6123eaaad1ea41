import { Fault } from '@tidings/kernel';
import { createHash } from 'node:crypto';
import { type Headers, LARGEST_DEAD_LETTER_BYTES, type OutRecord } from './broker-port.ts';
import { sizeOf } from './size.ts';

/** Why a record was dead-lettered: its bytes could not be decoded, the version did not have its kind, or its handler failed on every try. */
export type DeadLetterReason = 'decode' | 'unknown' | 'handler';

/** A record that could not be handled. */
export interface DeadLetter {
  readonly reason: DeadLetterReason;
  /** The error of the last try, for operators. */
  readonly error: string;
  /** The consumer group that could not handle it; others may have. */
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  /** When the record was published, milliseconds since 1970. */
  readonly timestamp: number;
  readonly headers?: Headers | undefined;
  readonly payload: Uint8Array;
  /**
   * Set if the encoded key and headers were too large: the dead letter then has the beginning of the payload and of the key. Such a record cannot be
   * redriven.
   */
  readonly cut?: { readonly payloadBytes: number; readonly sha256: string } | undefined;
}

const HEAD = 4;
const ERROR_CHARACTERS = 2_000;

/** Kept characters of a truncated key. */
const CUT_KEY_CHARACTERS = 1_000;
const CUT_PAYLOAD_BYTES = 64 << 10;

/** The record of the dead-letter topic: the length of a JSON header in 4 bytes, the header, and the unchanged payload. */
export function toDeadLetterRecord(deadLetter: DeadLetter): OutRecord {
  const whole = recordOf(deadLetter);
  return sizeOf(whole) > LARGEST_DEAD_LETTER_BYTES ? recordOf(cutOff(deadLetter)) : whole;
}

function cutOff({ headers: _, key, payload, ...rest }: DeadLetter): DeadLetter {
  const sha256 = createHash('sha256').update(payload).digest('hex');
  return {
    ...rest,
    key: key.slice(0, CUT_KEY_CHARACTERS),
    payload: payload.subarray(0, CUT_PAYLOAD_BYTES),
    cut: { payloadBytes: payload.length, sha256 },
  };
}

function recordOf({ payload, error, ...rest }: DeadLetter): OutRecord {
  const header = Buffer.from(JSON.stringify({ ...rest, error: error.slice(0, ERROR_CHARACTERS) }));
  const value = Buffer.allocUnsafe(HEAD + header.length + payload.length);
  value.writeUInt32LE(header.length);
  value.set(header, HEAD);
  value.set(payload, HEAD + header.length);
  return { key: `${rest.topic}/${rest.partition}`, value };
}

/**
 * Reads a record of the dead-letter topic.
 * @throws Fault `bug` for any other value.
 */
export function readDeadLetter(value: Uint8Array): DeadLetter {
  try {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    const payloadStart = HEAD + bytes.readUInt32LE();
    const header = JSON.parse(bytes.toString('utf8', HEAD, payloadStart)) as Omit<DeadLetter, 'payload'>;
    return { ...header, payload: bytes.subarray(payloadStart) };
  } catch (error) {
    throw Fault.bug('a record of the dead-letter topic cannot be read', error);
  }
}

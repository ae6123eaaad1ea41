import { Fault } from '@tidings/kernel';
import { createHash } from 'node:crypto';
import { type Headers, LARGEST_DEAD_LETTER_BYTES, type OutRecord } from './broker-port.ts';
import { sizeOf } from './size.ts';

export type DeadLetterReason = 'decode' | 'unknown' | 'handler';

export interface DeadLetter {
  readonly reason: DeadLetterReason;
  readonly error: string;
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly headers?: Headers | undefined;
  readonly payload: Uint8Array;
  /** Set on truncated records, which cannot be redriven. */
  readonly cut?: { readonly payloadBytes: number; readonly sha256: string } | undefined;
}

const HEAD = 4;
const ERROR_CHARACTERS = 2_000;

const CUT_KEY_CHARACTERS = 1_000;
const CUT_PAYLOAD_BYTES = 64 << 10;

/** The header's length in 4 bytes, a JSON header, the unchanged payload. */
export function toDeadLetterRecord(deadLetter: DeadLetter): OutRecord {
  const complete = recordOf(deadLetter);
  return sizeOf(complete) > LARGEST_DEAD_LETTER_BYTES ? recordOf(cutOff(deadLetter)) : complete;
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

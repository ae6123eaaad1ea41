import { Fault } from '@tidings/kernel';
import { createHash } from 'node:crypto';
import {
  type Broker,
  type Headers,
  type InRecord,
  LARGEST_DEAD_LETTER_BYTES,
  type OutRecord,
  DEAD_LETTER_TOPIC,
} from './broker-port.ts';
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
    ...{ ...rest, key: key.slice(0, CUT_KEY_CHARACTERS) },
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

export interface RedriveOptions {
  /** Selects dead letters to redrive; the others become dead letters again. @default all */
  readonly only?: (deadLetter: DeadLetter) => boolean;
  /** Receives each one that cannot be redriven: it is truncated, or its topic refuses it. It stays a dead letter. */
  readonly stuck?: (deadLetter: DeadLetter, why: string) => void;
}

/** The group that remembers redriven records. Its lag is not unfinished work: it is the dead letters. */
export const REDRIVE_GROUP = 'tidings.redrive';

/**
 * Publishes dead letters to their original topics, in order; every group of that topic receives them again. Records that fail again are dead-lettered
 * again, after everything that this call reads; so are those that cannot be redriven. @returns number of redriven records
 */
export async function redrive(broker: Broker, options: RedriveOptions = {}): Promise<number> {
  let redriven = 0;
  /** By partition, the final offset of this call, until it is reached. */
  const known = Promise.withResolvers<Map<number, number>>();
  known.promise.catch(() => undefined);
  const finished = Promise.withResolvers<void>();
  const subscription = await broker.subscribe({
    group: REDRIVE_GROUP,
    topics: [DEAD_LETTER_TOPIC],
    async handler({ partition, records }) {
      const ends = await known.promise;
      const end = ends.get(partition) ?? 0;
      const old = records.filter(({ offset }) => offset < end);
      redriven += await sendBack(broker, old, options);
      if ((records.at(-1)?.offset ?? 0) >= end - 1) ends.delete(partition);
      if (ends.size === 0) finished.resolve();
      return old.length;
    },
  });
  try {
    const lags = await broker.lag(REDRIVE_GROUP);
    const open = lags.filter(({ topic, committed, end }) => topic === DEAD_LETTER_TOPIC && committed < end);
    known.resolve(new Map(open.map(({ partition, end }) => [partition, end])));
    if (open.length > 0) await finished.promise;
  } catch (error) {
    known.reject(error);
    throw error;
  } finally {
    await subscription.stop();
  }
  return redriven;
}

/** Records to redrive to a topic. */
interface Lane {
  readonly back: OutRecord[];
  /** As stored in the topic. */
  readonly records: OutRecord[];
  readonly deadLetters: DeadLetter[];
}

/** The records that can be redriven, by topic, and those that cannot. */
function lanesOf(
  records: readonly InRecord[],
  { only = () => true, stuck }: RedriveOptions,
): { readonly byTopic: ReadonlyMap<string, Lane>; readonly again: OutRecord[] } {
  const byTopic = new Map<string, Lane>();
  const again: OutRecord[] = [];
  for (const { key, value } of records) {
    const deadLetter = tryToRead(value);
    const isWanted = deadLetter !== undefined && only(deadLetter);
    if (!isWanted || deadLetter.cut) {
      if (isWanted) stuck?.(deadLetter, 'only its beginning was kept');
      again.push({ key, value });
      continue;
    }
    const lane = byTopic.get(deadLetter.topic) ?? { back: [], records: [], deadLetters: [] };
    byTopic.set(deadLetter.topic, lane);
    lane.back.push({ key: deadLetter.key, value: deadLetter.payload, headers: deadLetter.headers });
    lane.records.push({ key, value });
    lane.deadLetters.push(deadLetter);
  }
  return { byTopic, again };
}

async function sendBack(broker: Broker, records: readonly InRecord[], options: RedriveOptions): Promise<number> {
  const { byTopic, again } = lanesOf(records, options);
  let sent = 0;
  for (const [topic, lane] of byTopic) {
    try {
      await broker.publish(topic, lane.back);
      sent += lane.back.length;
    } catch (error) {
      const { kind, message } = Fault.from(error);
      if (kind === 'unavailable') throw error;
      for (const deadLetter of lane.deadLetters) options.stuck?.(deadLetter, message);
      again.push(...lane.records);
    }
  }
  if (again.length > 0) await broker.publish(DEAD_LETTER_TOPIC, again);
  return sent;
}

function tryToRead(value: Uint8Array): DeadLetter | undefined {
  try {
    return readDeadLetter(value);
  } catch {
    return undefined;
  }
}

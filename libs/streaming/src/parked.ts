import { Fault } from '@tidings/kernel';
import { createHash } from 'node:crypto';
import {
  type Broker,
  type Headers,
  type InRecord,
  LARGEST_PARKED_BYTES,
  type OutRecord,
  PARKED_TOPIC,
} from './port.ts';
import { sizeOf } from './size.ts';

/** Why a record was parked: its bytes could not be read, it is of a kind that the version did not have, or its handler failed whenever it was tried. */
export type ParkReason = 'decode' | 'unknown' | 'handler';

/** A record that could not be handled. */
export interface Parked {
  readonly reason: ParkReason;
  /** What the last try failed with, for operators. */
  readonly error: string;
  /** The consumer group that could not handle it; the others may well have. */
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
   * Set where the record had no room here, for its key and headers take more when they are written down: what is kept is the beginning of the
   * payload and of the key. Such a record cannot go back.
   */
  readonly cut?: { readonly payloadBytes: number; readonly sha256: string } | undefined;
}

const HEAD = 4;
const ERROR_CHARACTERS = 2_000;

/** What is kept of a record that is cut. */
const CUT_KEY_CHARACTERS = 1_000;
const CUT_PAYLOAD_BYTES = 64 << 10;

/** The record of the parked topic: the length of a JSON header in 4 bytes, the header, and the payload as it was. */
export function toParkedRecord(parked: Parked): OutRecord {
  const whole = recordOf(parked);
  return sizeOf(whole) > LARGEST_PARKED_BYTES ? recordOf(cutOff(parked)) : whole;
}

function cutOff({ headers: _, key, payload, ...rest }: Parked): Parked {
  const sha256 = createHash('sha256').update(payload).digest('hex');
  return {
    ...{ ...rest, key: key.slice(0, CUT_KEY_CHARACTERS) },
    payload: payload.subarray(0, CUT_PAYLOAD_BYTES),
    cut: { payloadBytes: payload.length, sha256 },
  };
}

function recordOf({ payload, error, ...rest }: Parked): OutRecord {
  const header = Buffer.from(JSON.stringify({ ...rest, error: error.slice(0, ERROR_CHARACTERS) }));
  const value = Buffer.allocUnsafe(HEAD + header.length + payload.length);
  value.writeUInt32LE(header.length);
  value.set(header, HEAD);
  value.set(payload, HEAD + header.length);
  return { key: `${rest.topic}/${rest.partition}`, value };
}

/**
 * Reads a record of the parked topic.
 * @throws Fault `bug` for any other value.
 */
export function readParked(value: Uint8Array): Parked {
  try {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    const payloadStart = HEAD + bytes.readUInt32LE();
    const header = JSON.parse(bytes.toString('utf8', HEAD, payloadStart)) as Omit<Parked, 'payload'>;
    return { ...header, payload: bytes.subarray(payloadStart) };
  } catch (error) {
    throw Fault.bug('a record of the parked topic cannot be read', error);
  }
}

export interface RedriveOptions {
  /** Which of the parked records go back; the others are parked again. @default all */
  readonly only?: (parked: Parked) => boolean;
  /** Hears of each that should have gone back and cannot: it is cut, or its topic refuses it. It stays parked. */
  readonly stuck?: (parked: Parked, why: string) => void;
}

/** The group that remembers what was redriven. Its lag is no unfinished work: it is what lies parked. */
export const REDRIVE_GROUP = 'tidings.redrive';

/**
 * Publishes what is parked now back to where it came from, in order; every group of that topic receives it again. What fails again is
 * parked again, behind everything that this call looks at; so is what cannot go back.
 * @returns how many records went back.
 */
export async function redrive(broker: Broker, options: RedriveOptions = {}): Promise<number> {
  let redriven = 0;
  /** By partition, the offset that this call goes up to, as long as that is not reached. */
  const known = Promise.withResolvers<Map<number, number>>();
  known.promise.catch(() => undefined);
  const finished = Promise.withResolvers<void>();
  const subscription = await broker.subscribe({
    group: REDRIVE_GROUP,
    topics: [PARKED_TOPIC],
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
    const open = lags.filter(({ topic, committed, end }) => topic === PARKED_TOPIC && committed < end);
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

/** Records on their way back to a topic. */
interface Lane {
  readonly back: OutRecord[];
  /** As they lie parked. */
  readonly records: OutRecord[];
  readonly parked: Parked[];
}

/** What can go back, by topic, and what cannot. */
function lanesOf(
  records: readonly InRecord[],
  { only = () => true, stuck }: RedriveOptions,
): { readonly byTopic: ReadonlyMap<string, Lane>; readonly again: OutRecord[] } {
  const byTopic = new Map<string, Lane>();
  const again: OutRecord[] = [];
  for (const { key, value } of records) {
    const parked = tryToRead(value);
    const isWanted = parked !== undefined && only(parked);
    if (!isWanted || parked.cut) {
      if (isWanted) stuck?.(parked, 'only its beginning was kept');
      again.push({ key, value });
      continue;
    }
    const lane = byTopic.get(parked.topic) ?? { back: [], records: [], parked: [] };
    byTopic.set(parked.topic, lane);
    lane.back.push({ key: parked.key, value: parked.payload, headers: parked.headers });
    lane.records.push({ key, value });
    lane.parked.push(parked);
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
      for (const parked of lane.parked) options.stuck?.(parked, message);
      again.push(...lane.records);
    }
  }
  if (again.length > 0) await broker.publish(PARKED_TOPIC, again);
  return sent;
}

function tryToRead(value: Uint8Array): Parked | undefined {
  try {
    return readParked(value);
  } catch {
    return undefined;
  }
}

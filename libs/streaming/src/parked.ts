import { Fault } from '@tidings/kernel';
import type { Broker, Headers, InRecord, OutRecord } from './port.ts';

/** Where records go that could not be handled. */
export const PARKED_TOPIC = 'tidings.parked';

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
}

const HEAD = 4;
const ERROR_CHARACTERS = 2_000;

/** The record of the parked topic: the length of a JSON header in 4 bytes, the header, and the payload as it was. */
export function toParkedRecord({ payload, error, ...rest }: Parked): OutRecord {
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
}

/** The group that remembers what was redriven. Its lag is no unfinished work: it is what lies parked. */
export const REDRIVE_GROUP = 'tidings.redrive';

/**
 * Publishes what is parked now back to where it came from, in order; every group of that topic receives it again. What fails again is
 * parked again, behind everything that this call looks at; so is what cannot go back.
 * @returns how many records went back.
 */
export async function redrive(broker: Broker, { only = () => true }: RedriveOptions = {}): Promise<number> {
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
      redriven += await sendBack(broker, old, only);
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

async function sendBack(
  broker: Broker,
  records: readonly InRecord[],
  only: (parked: Parked) => boolean,
): Promise<number> {
  const byTopic = new Map<string, { readonly back: OutRecord[]; readonly asParked: OutRecord[] }>();
  const again: OutRecord[] = [];
  for (const { key, value } of records) {
    const parked = tryToRead(value);
    if (!parked || !only(parked)) {
      again.push({ key, value });
      continue;
    }
    const lane = byTopic.get(parked.topic) ?? { back: [], asParked: [] };
    byTopic.set(parked.topic, lane);
    lane.back.push({ key: parked.key, value: parked.payload, headers: parked.headers });
    lane.asParked.push({ key, value });
  }
  let sent = 0;
  for (const [topic, { back, asParked }] of byTopic) {
    try {
      await broker.publish(topic, back);
      sent += back.length;
    } catch (error) {
      if (Fault.from(error).kind === 'unavailable') throw error;
      again.push(...asParked);
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

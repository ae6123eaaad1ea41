import { setTimeout } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import { isTransient } from '@tidings/mongo';
import { inSpan, type Trace, traceOf } from '@tidings/telemetry';
import { type DeadLetterReason, toDeadLetterRecord } from './dead-letters.ts';
import {
  type Broker,
  type InRecord,
  DEAD_LETTER_TOPIC,
  type RecordBatch,
  type SubscribeOptions,
  type Subscription,
} from './broker-port.ts';

/** With the handler's own time, less than the 5 s of a handler call. */
const HANDLER_BUDGET_MS = 3_500;
const BACK_OFF_MS = 50;
const TRIES = 5;

export interface Reader<Value> {
  decode(payload: Uint8Array): Value;
  /** Records of an unknown kind are dead-lettered for a newer version (ADR 27). */
  isKnown?(value: Value): boolean;
}

class UnknownKind extends Error {
  override readonly name = 'UnknownKind';
}

export type Readers = Readonly<Record<string, Reader<unknown>>>;

export type Decoded<R extends Readers> = {
  [Topic in keyof R & string]: Omit<InRecord, 'topic' | 'value'> & {
    readonly topic: Topic;
    readonly value: ReturnType<R[Topic]['decode']>;
  };
}[keyof R & string];

export interface Incident {
  readonly kind: 'retried' | 'returned' | 'dead-lettered' | 'unknown';
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly error: unknown;
}

export interface ConsumeOptions<R extends Readers> extends Pick<
  SubscribeOptions,
  'group' | 'maxRecords' | 'from' | 'lingerMs'
> {
  readonly topics: R;
  /** Idempotent, see {@link BatchHandler}. */
  readonly handler: (records: readonly Decoded<R>[]) => Promise<void | number>;
  readonly report?: (incident: Incident) => void;
}

/** Finds a faulty record in some 2√n calls; 5 tries, then dead-lettered. */
export async function consume<const R extends Readers>(
  broker: Pick<Broker, 'publish' | 'subscribe'>,
  options: ConsumeOptions<R>,
): Promise<Subscription> {
  const { group, topics, maxRecords, from, lingerMs } = options;
  const stopping = new AbortController();
  const wrapped = new Wrapped(broker, options, stopping.signal);
  const subscription = await broker.subscribe({
    group,
    topics: Object.keys(topics),
    handler: (batch) => inBatchSpan(group, batch, () => wrapped.handle(batch)),
    ...(maxRecords === undefined ? {} : { maxRecords }),
    ...(from === undefined ? {} : { from }),
    ...(lingerMs === undefined ? {} : { lingerMs }),
  });
  return {
    async stop() {
      stopping.abort();
      await subscription.stop();
    },
  };
}

function inBatchSpan<T>(group: string, { topic, records }: RecordBatch, work: () => Promise<T>): Promise<T> {
  const attributes = {
    'messaging.operation.type': 'process',
    'messaging.destination.name': topic,
    'messaging.consumer.group.name': group,
    'messaging.batch.message_count': records.length,
  };
  return inSpan(`process ${topic}`, { of: tracesOf(records), kind: 'consumer', attributes }, work);
}

function* tracesOf(records: readonly InRecord[]): Iterable<Trace | undefined> {
  for (const { headers } of records) yield traceOf(headers);
}

type Outlet = Pick<Broker, 'publish'>;

interface FailedRecord {
  readonly record: InRecord;
  readonly error: unknown;
  readonly reason: DeadLetterReason;
}

function readWith(reader: Reader<unknown>, payload: Uint8Array, topic: string): unknown {
  const value = reader.decode(payload);
  if (reader.isKnown?.(value) === false)
    throw new UnknownKind(`a record of ${topic} of a kind that this version does not have`);
  return value;
}

interface Delivery<R extends Readers> {
  readonly batch: RecordBatch;
  readonly partitionKey: string;
  readonly startedAt: number;
  readonly readable: readonly InRecord[];
  decoded: readonly Decoded<R>[] | undefined;
  readonly unreadable: readonly FailedRecord[];
  done: number;
}

interface Suspicion {
  readonly below: number;
  readonly size: number;
  readonly failures: number;
}

class Wrapped<R extends Readers> {
  readonly #broker: Outlet;
  readonly #options: ConsumeOptions<R>;
  readonly #stopping: AbortSignal;
  readonly #suspicions = new Map<string, Suspicion>();

  constructor(broker: Outlet, options: ConsumeOptions<R>, stopping: AbortSignal) {
    this.#broker = broker;
    this.#options = options;
    this.#stopping = stopping;
  }

  async handle(batch: RecordBatch): Promise<void | number> {
    const delivery = this.#read(batch);
    const { readable, unreadable } = delivery;
    while (delivery.done < readable.length) {
      const size = this.#sizeOf(delivery);
      const continues = size === 1 ? await this.#handleOne(delivery) : await this.#handleMany(delivery, size);
      if (!continues) break;
    }
    const next = readable[delivery.done]?.offset ?? Infinity;
    const failed = unreadable.filter(({ record }) => record.offset < next);
    if (failed.length > 0) await this.#deadLetter(failed);
    return next === Infinity ? undefined : batch.records.findIndex(({ offset }) => offset >= next);
  }

  #read(batch: RecordBatch): Delivery<R> {
    const readable: InRecord[] = [];
    const decoded: Decoded<R>[] = [];
    const decode = this.#decoderOf(batch);
    const unreadable: FailedRecord[] = [];
    for (const record of batch.records) {
      try {
        decoded.push(decode(record));
        readable.push(record);
      } catch (error) {
        unreadable.push({ record, error, reason: error instanceof UnknownKind ? 'unknown' : 'decode' });
      }
    }
    const partitionKey = `${batch.topic}/${batch.partition}`;
    return { batch, partitionKey, startedAt: performance.now(), readable, decoded, unreadable, done: 0 };
  }

  #decoderOf({ topic: name }: RecordBatch): (record: InRecord) => Decoded<R> {
    const reader = this.#options.topics[name];
    if (!reader) throw Fault.bug(`no reader for topic ${name}`);
    return ({ topic, partition, offset, timestamp, key, headers, value }) =>
      ({ topic, partition, offset, timestamp, key, headers, value: readWith(reader, value, topic) }) as Decoded<R>;
  }

  #sizeOf({ partitionKey, readable, done }: Delivery<R>): number {
    const remaining = readable.length - done;
    const suspicion = this.#suspicions.get(partitionKey);
    if (!suspicion) return remaining;
    if (readable[done]!.offset < suspicion.below) return Math.min(remaining, suspicion.size);
    this.#suspicions.delete(partitionKey);
    return remaining;
  }

  async #handleMany(delivery: Delivery<R>, size: number): Promise<boolean> {
    for (let attempt = 0; ; attempt++) {
      try {
        const count = (await this.#callHandler(delivery, size)) ?? size;
        delivery.done += Math.max(0, Math.min(count, size));
        return count >= size && this.#mayContinue(delivery);
      } catch (error) {
        if (!isUnavailable(error)) {
          this.#suspect(delivery, size);
          this.#report('retried', delivery, error);
          return this.#mayContinue(delivery);
        }
        if (!(await this.#backOff(delivery, attempt, error))) return false;
      }
    }
  }

  async #handleOne(delivery: Delivery<R>): Promise<boolean> {
    const amongOthers = this.#suspicions.get(delivery.partitionKey)?.failures ?? 0;
    for (let tries = 0, attempt = 0; ;) {
      try {
        if ((await this.#callHandler(delivery, 1)) === 0) return false;
        break;
      } catch (error) {
        if (isUnavailable(error)) {
          if (await this.#backOff(delivery, attempt++, error)) continue;
          return false;
        }
        if (amongOthers + ++tries === TRIES || isLate(delivery)) {
          if (await this.#deadLetterOne(delivery, error)) break;
          return false;
        }
        this.#report('retried', delivery, error);
        if (!(await this.#sleep(BACK_OFF_MS * 2 ** tries))) return false;
      }
    }
    delivery.done++;
    return this.#mayContinue(delivery);
  }

  #mayContinue(delivery: Delivery<R>): boolean {
    return delivery.done === delivery.readable.length || !(isLate(delivery) || this.#stopping.aborted);
  }

  #suspect({ partitionKey, readable, done }: Delivery<R>, size: number): void {
    const before = this.#suspicions.get(partitionKey);
    this.#suspicions.set(partitionKey, {
      below: readable[done + size - 1]!.offset + 1,
      size: before ? 1 : Math.floor(Math.sqrt(size)),
      failures: (before?.failures ?? 0) + 1,
    });
  }

  /** Keeps no values during a handler's wait: decoding again costs less. */
  #callHandler(delivery: Delivery<R>, count: number): Promise<void | number> {
    const { batch, readable, done, decoded } = delivery;
    delivery.decoded = undefined;
    const isReady = decoded?.length === count;
    return this.#options.handler(isReady ? decoded : readable.slice(done, done + count).map(this.#decoderOf(batch)));
  }

  async #deadLetterOne(delivery: Delivery<R>, error: unknown): Promise<boolean> {
    const { readable, done, partitionKey } = delivery;
    const record = readable[done] as InRecord;
    try {
      await this.#deadLetter([{ record, error, reason: 'handler' }]);
    } catch (failure) {
      this.#report('returned', delivery, failure);
      return false;
    }
    this.#suspicions.delete(partitionKey);
    return true;
  }

  async #deadLetter(records: readonly FailedRecord[]): Promise<void> {
    const { group } = this.#options;
    await this.#broker.publish(
      DEAD_LETTER_TOPIC,
      records.map(({ record: { value: payload, ...origin }, error, reason }) =>
        toDeadLetterRecord({ ...origin, payload, reason, group, error: textOf(error) }),
      ),
    );
    for (const { record, error, reason } of records)
      this.#reportIncident(reason === 'unknown' ? 'unknown' : 'dead-lettered', record, error);
  }

  async #backOff(delivery: Delivery<R>, attempt: number, error: unknown): Promise<boolean> {
    const waitMs = BACK_OFF_MS * 2 ** attempt;
    const inTime = performance.now() - delivery.startedAt + waitMs <= HANDLER_BUDGET_MS;
    this.#report(inTime ? 'retried' : 'returned', delivery, error);
    return inTime && (await this.#sleep(waitMs));
  }

  async #sleep(ms: number): Promise<boolean> {
    await setTimeout(ms, undefined, { signal: this.#stopping }).catch(() => undefined);
    return !this.#stopping.aborted;
  }

  #report(kind: Incident['kind'], { readable, done }: Delivery<R>, error: unknown): void {
    this.#reportIncident(kind, readable[done] as InRecord, error);
  }

  #reportIncident(kind: Incident['kind'], at: Pick<InRecord, 'topic' | 'partition' | 'offset'>, error: unknown): void {
    const { topic, partition, offset } = at;
    this.#options.report?.({ kind, group: this.#options.group, topic, partition, offset, error });
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof Fault ? error.kind === 'unavailable' : isTransient(error);

const isLate = ({ startedAt }: { readonly startedAt: number }): boolean =>
  performance.now() - startedAt > HANDLER_BUDGET_MS;

const textOf = (error: unknown): string => {
  const { kind, internal, message } = Fault.from(error);
  return `${kind}: ${internal ?? message}`;
};

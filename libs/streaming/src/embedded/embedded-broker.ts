import type { ExclusiveData } from '@tidings/coordination';
import { type Clock, Fault, randomBase62 } from '@tidings/kernel';
import type { Db } from 'mongodb';
import type {
  Broker,
  GroupLag,
  OutRecord,
  Position,
  SubscribeOptions,
  Subscription,
  TopicSpec,
} from '../broker-port.ts';
import { Offsets, type StoredOffset } from '../offsets.ts';
import { Appender } from './appender.ts';
import { Groups, logsOf } from './groups.ts';
import { Housekeeping } from './housekeeping.ts';
import { Lease } from './group-lease.ts';
import { PartitionLog } from './partition-log.ts';
import { Store } from './embedded-store.ts';

const MEMORY_BYTES = 64 << 20;
/** A crash redelivers records of this time. */
const OFFSET_SPACING_MS = 250;

export interface EmbeddedBrokerOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly topics: readonly TopicSpec[];
  readonly owner: string;
  /** @default 64 MB */
  readonly memoryBytes?: number;
  readonly onLost?: (fault: Fault) => void;
  readonly warn?: (text: string, cause: unknown) => void;
}

export interface EmbeddedBroker extends Broker, ExclusiveData {
  trim(): Promise<void>;
}

/** @throws Fault `conflict` while another live process has the log */
export async function openEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const { db, owner, topics: specs } = options;
  const store = new Store(db);
  await store.prepare();
  let broker: Embedded | undefined;
  let lost: Fault | undefined;
  const lease = await Lease.take(db, `${owner}/${randomBase62(12)}`, (fault) => {
    lost = fault;
    broker?.halt(fault);
  });
  try {
    const [topics, stored] = await Promise.all([
      store.topics().then((added) => loadTopics(store, specs, added)),
      store.offsets(),
    ]);
    if (lost) throw lost;
    broker = new Embedded({ ...options, store, lease, topics, stored });
    return broker;
  } catch (error) {
    await lease.release();
    throw error;
  }
}

async function loadTopics(
  store: Store,
  specs: readonly TopicSpec[],
  added: readonly TopicSpec[],
): Promise<Map<string, readonly PartitionLog[]>> {
  const declared = new Set(specs.map(({ name }) => name));
  const all = [...specs, ...added.filter(({ name }) => !declared.has(name))];
  const partitions = all.flatMap((spec) =>
    Array.from({ length: spec.partitions }, (_, partition) => ({ spec, topic: spec.name, partition })),
  );
  const [stored, ends] = await Promise.all([store.floors(), store.endsOf(partitions)]);
  const floors = new Map(stored.map((floor) => [`${floor.partition}/${floor.topic}`, floor]));
  const logs = partitions.map(({ spec, topic, partition }, index) => {
    const { start = 0, clean = 0 } = floors.get(`${partition}/${topic}`) ?? {};
    return new PartitionLog(spec, partition, { start, clean, end: Math.max(start, ends[index] ?? 0) });
  });
  const byTopic = Map.groupBy(logs, ({ topic }) => topic);
  return new Map(all.map(({ name }) => [name, byTopic.get(name) ?? []]));
}

type EmbeddedDeps = Omit<EmbeddedBrokerOptions, 'db' | 'owner' | 'topics'> & {
  readonly store: Store;
  readonly lease: Lease;
  readonly topics: Map<string, readonly PartitionLog[]>;
  readonly stored: readonly StoredOffset[];
};

class Embedded implements EmbeddedBroker {
  readonly #deps: EmbeddedDeps;
  readonly #logs: PartitionLog[];
  readonly #adding = new Map<string, Promise<void>>();
  readonly #offsets: Offsets;
  readonly #groups: Groups;
  readonly #appender: Appender;
  readonly #housekeeping: Housekeeping;
  #ended: Fault | undefined;
  #closing: Promise<void> | undefined;

  constructor(deps: EmbeddedDeps) {
    const { store, lease, clock, topics, stored, memoryBytes = MEMORY_BYTES, warn = () => undefined } = deps;
    this.#deps = deps;
    this.#logs = [...topics.values()].flat();
    this.#offsets = new Offsets(store, { warn, spacingMs: OFFSET_SPACING_MS });
    this.#groups = new Groups(topics, stored, { store, offsets: this.#offsets, warn });
    this.#appender = new Appender({
      store,
      lease,
      clock,
      appended: (log, batch) => {
        log.append(batch);
        limitMemory(memoryBytes, this.#logs);
        log.wakeReaders();
      },
      overtaken: (log) => log.wakeReaders(),
    });
    this.#housekeeping = new Housekeeping({ logs: this.#logs, groups: this.#groups, store, lease, clock, warn });
  }

  get isHeld(): boolean {
    return this.#deps.lease.isHeld;
  }

  async publish(topic: string, records: readonly OutRecord[]): Promise<readonly Position[]> {
    if (this.#ended) throw this.#ended;
    return this.#appender.publish(logsOf(this.#deps.topics, topic), records);
  }

  async addTopic(spec: TopicSpec): Promise<void> {
    if (this.#ended) throw this.#ended;
    const { topics } = this.#deps;
    if (topics.has(spec.name)) return;
    let adding = this.#adding.get(spec.name);
    if (!adding) {
      adding = this.#add(spec).finally(() => this.#adding.delete(spec.name));
      this.#adding.set(spec.name, adding);
    }
    await adding;
  }

  async subscribe(options: SubscribeOptions): Promise<Subscription> {
    if (this.#ended) throw this.#ended;
    if (this.#closing) throw closed();
    return this.#groups.subscribe(options);
  }

  async lag(group: string): Promise<readonly GroupLag[]> {
    return this.#groups.lag(group);
  }

  async ends(topic: string): Promise<readonly number[]> {
    return logsOf(this.#deps.topics, topic).map(({ end }) => end);
  }

  async groups(): Promise<readonly string[]> {
    return this.#groups.names();
  }

  async seek(group: string, topic: string, partition: number, offset: number): Promise<void> {
    const log = logsOf(this.#deps.topics, topic)[partition];
    if (!log) throw Fault.argument(`Topic ${topic} has no partition ${partition}`);
    if (!Number.isSafeInteger(offset) || offset < 0) throw Fault.argument(`${offset} is not an offset`);
    await this.#groups.seek(group, log, offset);
  }

  async #add(spec: TopicSpec): Promise<void> {
    await this.#deps.store.addTopic(spec);
    const logs = Array.from(
      { length: spec.partitions },
      (_, partition) => new PartitionLog(spec, partition, { start: 0, clean: 0, end: 0 }),
    );
    this.#deps.topics.set(spec.name, logs);
    this.#logs.push(...logs);
  }

  forget(group: string): Promise<void> {
    return this.#groups.forget(group);
  }

  trim(): Promise<void> {
    return this.#housekeeping.pass();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  halt(fault: Fault): void {
    this.#ended = fault;
    this.#groups.halt();
    this.#offsets.abandon();
    this.#deps.onLost?.(fault);
  }

  async #close(): Promise<void> {
    await this.#groups.close();
    // Not earlier: running handlers may still publish.
    this.#ended ??= closed();
    await this.#appender.drained();
    await this.#housekeeping.close();
    await this.#offsets.close();
    await this.#deps.lease.release();
  }
}

const closed = (): Fault => Fault.unavailable('The log is closed');

function limitMemory(memoryBytes: number, logs: readonly PartitionLog[]): void {
  let bytes = 0;
  for (const { tail } of logs) bytes += tail.bytes;
  while (bytes > memoryBytes) {
    const { tail } = logs.reduce((oldest, log) => (log.tail.oldestAt < oldest.tail.oldestAt ? log : oldest));
    bytes -= tail.bytes;
    tail.dropFirst();
    bytes += tail.bytes;
  }
}

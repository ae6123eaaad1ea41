import { Fault, randomBase62 } from '@tidings/kernel';
import type { Db } from 'mongodb';
import type { InRecord, TopicSpec } from '../broker-port.ts';
import type { LogContents, LogImport, LogSummary, StoredTopic } from '../log-contents.ts';
import { type Batch, recordsOf, without } from './embedded-batch.ts';
import { type PartitionId, Store } from './embedded-store.ts';
import { Lease } from './group-lease.ts';

const READ_BATCHES = 8;
const NO_RECORDS = Buffer.alloc(0);

/** @throws Fault `conflict` while a platform runs on the log */
export function readEmbeddedLog<T>(
  db: Db,
  declared: readonly TopicSpec[],
  work: (log: LogContents) => Promise<T>,
): Promise<T> {
  return exclusively(db, async (store) => {
    const names = new Set(declared.map(({ name }) => name));
    const added = (await store.topics()).filter(({ name }) => !names.has(name));
    const topics = await Promise.all([...declared, ...added].map((spec) => withEnds(store, spec)));
    const ends = new Map(topics.map(({ name, ends: of }) => [name, of]));
    return work({
      topics,
      offsets: await store.offsets(),
      records: (topic, partition) => recordsIn(store, { topic, partition }, ends.get(topic)?.[partition] ?? 0),
    });
  });
}

/** Keeps offsets and times. @throws Fault `conflict` while a platform runs on the log */
export function fillEmbeddedLog(
  db: Db,
  declared: readonly TopicSpec[],
  { topics, offsets }: LogSummary,
  work: (log: LogImport) => Promise<void>,
): Promise<void> {
  return exclusively(db, async (store) => {
    const names = new Set(declared.map(({ name }) => name));
    for (const { ends: _, ...spec } of topics) if (!names.has(spec.name)) await store.addTopic(spec);
    const filling = new Map(
      topics.map((topic) => [topic.name, topic.ends.map((end, i) => new Filling(store, topic, i, end))]),
    );
    await work({
      append: (topic, partition, records) => filling.get(topic)![partition]!.append(records),
      async finish() {
        for (const partitions of filling.values()) for (const partition of partitions) await partition.finish();
        if (offsets.length > 0) await store.saveOffsets(offsets);
      },
    });
  });
}

async function exclusively<T>(db: Db, work: (store: Store) => Promise<T>): Promise<T> {
  const store = new Store(db);
  await store.prepare();
  let lost: Error | undefined;
  const lease = await Lease.take(db, `transfer/${randomBase62(12)}`, (fault) => (lost = fault));
  try {
    const result = await work(store);
    if (lost) throw lost;
    return result;
  } finally {
    await lease.release();
  }
}

async function withEnds(store: Store, spec: TopicSpec): Promise<StoredTopic> {
  const floors = (await store.floors()).filter(({ topic }) => topic === spec.name);
  const starts = new Map(floors.map(({ partition, start }) => [partition, start]));
  const partitions = Array.from({ length: spec.partitions }, (_, partition) => ({ topic: spec.name, partition }));
  const ends = await store.endsOf(partitions);
  return { ...spec, ends: ends.map((end, partition) => Math.max(starts.get(partition) ?? 0, end ?? 0)) };
}

async function* recordsIn(store: Store, source: PartitionId, end: number): AsyncGenerator<readonly InRecord[]> {
  const floor = (await store.floors()).find(
    ({ topic, partition }) => topic === source.topic && partition === source.partition,
  );
  for (let next = floor?.start ?? 0; next < end;) {
    const read = await store.read(source, next, end, READ_BATCHES);
    const last = read.at(-1);
    if (!last) return;
    for (const batch of read) yield recordsOf(batch, source.topic, source.partition);
    next = last.first + last.count;
  }
}

class Filling {
  readonly #store: Store;
  readonly #source: PartitionId;
  readonly #compressed: boolean;
  readonly #end: number;
  #first: number | undefined;
  #next = 0;

  constructor(store: Store, { name: topic, kind }: TopicSpec, partition: number, end: number) {
    this.#store = store;
    this.#source = { topic, partition };
    this.#compressed = kind === 'facts';
    this.#end = end;
  }

  async append(records: readonly InRecord[]): Promise<void> {
    for (const published of sameTimes(records)) {
      this.#first ??= this.#next = published[0]!.offset;
      await this.#write(published[0]!.timestamp, published.at(-1)!.offset + 1, published);
    }
  }

  async finish(): Promise<void> {
    const start = this.#first ?? this.#end;
    if (start > 0) await this.#store.raiseFloors([{ ...this.#source, start }]);
    // A batch without records marks the end.
    if (this.#first !== undefined && this.#next < this.#end) await this.#write(0, this.#end, []);
  }

  async #write(at: number, next: number, records: readonly InRecord[]): Promise<void> {
    const range: Batch = { first: this.#next, count: next - this.#next, at, body: NO_RECORDS };
    const batch = without(range, records);
    const [outcome] = await this.#store.append([{ ...this.#source, batch, compressed: this.#compressed }]);
    if (outcome === 'taken') throw Fault.conflict(`${this.#source.topic} holds records already`);
    if (outcome !== 'appended') throw outcome ?? Fault.bug('a batch without an outcome');
    this.#next = next;
  }
}

function* sameTimes(records: readonly InRecord[]): Generator<readonly InRecord[]> {
  for (let from = 0; from < records.length;) {
    const { timestamp } = records[from]!;
    let to = from + 1;
    while (to < records.length && records[to]!.timestamp === timestamp) to++;
    yield records.slice(from, to);
    from = to;
  }
}

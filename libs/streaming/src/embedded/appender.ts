import { type Clock, Fault } from '@tidings/kernel';
import type { OutRecord, Position } from '../broker-port.ts';
import { partitionOf } from '../partition.ts';
import { checkedSize, sizeOf } from '../size.ts';
import { type Batch, newBatch } from './embedded-batch.ts';
import type { Lease } from './group-lease.ts';
import type { PartitionLog } from './partition-log.ts';
import type { Appended, Store } from './embedded-store.ts';

/** A partition is in at most one write, so that its batches have no gap. */
const LANES = 2;
const BATCH_RECORDS = 5_000;
const BATCH_BYTES = 4 << 20;
const WRITE_BYTES = 4 << 20;

interface Publication {
  readonly positions: Position[];
  open: number;
  failed: boolean;
  resolve(positions: readonly Position[]): void;
  reject(fault: Fault): void;
}

interface Part {
  readonly publication: Publication;
  readonly records: readonly OutRecord[];
  readonly indexes: readonly number[];
  taken: number;
}

interface PartRange {
  readonly part: Part;
  readonly from: number;
  readonly to: number;
}

interface Write {
  readonly log: PartitionLog;
  readonly batch: Batch;
  readonly ranges: readonly PartRange[];
}

interface Queue {
  readonly log: PartitionLog;
  parts: Part[];
  busy: boolean;
  /** Batches may exist beyond the known end. */
  hasUnknownTail: boolean;
}

export interface AppenderDeps {
  readonly store: Store;
  readonly lease: Lease;
  readonly clock: Clock;
  appended(log: PartitionLog, batch: Batch): void;
  overtaken(log: PartitionLog): void;
}

export class Appender {
  readonly #deps: AppenderDeps;
  readonly #queues = new Map<PartitionLog, Queue>();
  readonly #ready = new Set<Queue>();
  #writing = 0;
  #recovering = 0;
  #starting = false;
  #idle: (() => void)[] = [];

  constructor(deps: AppenderDeps) {
    this.#deps = deps;
  }

  publish(logs: readonly PartitionLog[], records: readonly OutRecord[]): Promise<readonly Position[]> {
    if (records.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const positions = new Array<Position>(records.length);
      const publication: Publication = { positions, open: records.length, failed: false, resolve, reject };
      for (const [partition, part] of split(publication, records, {
        topic: logs[0]!.topic,
        partitions: logs.length,
      })) {
        this.#enqueue(logs[partition] as PartitionLog, part);
      }
      this.#start();
    });
  }

  async drained(): Promise<void> {
    if (this.#isIdle()) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #enqueue(log: PartitionLog, part: Part): void {
    let queue = this.#queues.get(log);
    if (!queue) {
      queue = { log, parts: [], busy: false, hasUnknownTail: false };
      this.#queues.set(log, queue);
    }
    queue.parts.push(part);
    if (!queue.busy) this.#ready.add(queue);
  }

  /** Deferred to the end of the turn, for publications of several sockets. */
  #start(): void {
    if (this.#starting || this.#writing >= LANES) return;
    this.#starting = true;
    setImmediate(() => {
      this.#starting = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#writing < LANES && this.#ready.size > 0) {
      const writes = this.#form();
      if (writes.length === 0) break;
      this.#writing++;
      void this.#write(writes);
    }
    if (this.#isIdle()) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #isIdle(): boolean {
    return this.#writing === 0 && this.#recovering === 0 && this.#ready.size === 0;
  }

  #form(): Write[] {
    const writes: Write[] = [];
    const at = this.#deps.clock.now();
    let room = WRITE_BYTES;
    for (const queue of this.#ready) {
      if (room <= 0) break;
      this.#ready.delete(queue);
      queue.busy = true;
      if (queue.hasUnknownTail) {
        void this.#recover(queue);
        continue;
      }
      const ranges = takeRanges(queue);
      if (ranges.length === 0) {
        queue.busy = false;
        continue;
      }
      const batch = newBatch(queue.log.end, at, recordsIn(ranges));
      writes.push({ log: queue.log, batch, ranges });
      room -= batch.body.length;
    }
    return writes;
  }

  async #write(writes: readonly Write[]): Promise<void> {
    const outcomes = await this.#append(writes);
    const appended: Write[] = [];
    for (const [index, write] of writes.entries()) {
      const queue = this.#queues.get(write.log) as Queue;
      const outcome = outcomes instanceof Fault ? outcomes : (outcomes[index] as Appended);
      if (outcome === 'appended') {
        write.log.end = write.batch.first + write.batch.count;
        settle(write);
        appended.push(write);
      } else if (outcome === 'taken') {
        queue.hasUnknownTail = true;
        putBack(queue, write.ranges);
      } else {
        // It may be stored later: then the next batch finds its offset taken.
        for (const { part } of write.ranges) fail(part, outcome);
      }
      this.#release(queue);
    }
    this.#writing--;
    this.#pump();
    // After the next write has started: handlers start working in here.
    for (const { log, batch } of appended) this.#deps.appended(log, batch);
  }

  async #append(writes: readonly Write[]): Promise<Appended[] | Fault> {
    const { store, lease } = this.#deps;
    try {
      if (!lease.isHeld && !(await lease.confirmed())) return leaseLost();
      const outcomes = await store.append(
        writes.map(({ log, batch }) => ({ ...log.partitionId, batch, compressed: log.kind === 'facts' })),
      );
      // A write after the lease may be below what the next holder has trimmed.
      return lease.isHeld || (await lease.confirmed()) ? outcomes : leaseLost();
    } catch (error) {
      return Fault.from(error);
    }
  }

  async #recover(queue: Queue): Promise<void> {
    const { log } = queue;
    this.#recovering++;
    try {
      const end = Math.max(log.end, (await this.#deps.store.endOf(log)) ?? 0);
      queue.hasUnknownTail = false;
      if (end > log.end) {
        log.end = end;
        log.tail.reset(end);
        this.#deps.overtaken(log);
      }
    } catch (error) {
      for (const part of queue.parts.splice(0)) fail(part, Fault.from(error));
    }
    this.#recovering--;
    this.#release(queue);
    this.#pump();
  }

  #release(queue: Queue): void {
    queue.busy = false;
    if (queue.parts.length > 0) this.#ready.add(queue);
  }
}

const leaseLost = (): Fault => Fault.unavailable('This process does not hold the log of its data folder');

function split(
  publication: Publication,
  records: readonly OutRecord[],
  { topic, partitions }: { readonly topic: string; readonly partitions: number },
): Map<number, Part> {
  const parts = new Map<number, Part & { records: OutRecord[]; indexes: number[] }>();
  let lastKey: string | undefined;
  let partition = 0;
  for (let index = 0; index < records.length; index++) {
    const record = records[index] as OutRecord;
    checkedSize(topic, record);
    if (record.key !== lastKey) {
      lastKey = record.key;
      partition = partitionOf(record.key, partitions);
    }
    let part = parts.get(partition);
    if (!part) {
      part = { publication, records: [], indexes: [], taken: 0 };
      parts.set(partition, part);
    }
    part.records.push(record);
    part.indexes.push(index);
  }
  return parts;
}

function takeRanges(queue: Queue): PartRange[] {
  const ranges: PartRange[] = [];
  let count = 0;
  let bytes = 0;
  let done = 0;
  for (const part of queue.parts) {
    const from = part.taken;
    if (!part.publication.failed) {
      while (part.taken < part.records.length) {
        bytes += sizeOf(part.records[part.taken] as OutRecord);
        if (count > 0 && (count >= BATCH_RECORDS || bytes > BATCH_BYTES)) break;
        part.taken++;
        count++;
      }
      if (part.taken > from) ranges.push({ part, from, to: part.taken });
      if (part.taken < part.records.length) break;
    }
    done++;
  }
  queue.parts.splice(0, done);
  return ranges;
}

function recordsIn(ranges: readonly PartRange[]): readonly OutRecord[] {
  const slices = ranges.map(({ part: { records }, from, to }) =>
    from === 0 && to === records.length ? records : records.slice(from, to),
  );
  const [first = [], ...others] = slices;
  return others.length === 0 ? first : first.concat(...others);
}

function putBack(queue: Queue, ranges: readonly PartRange[]): void {
  for (const { part, from } of ranges.toReversed()) {
    part.taken = from;
    if (queue.parts[0] !== part) queue.parts.unshift(part);
  }
}

function settle({ log: { partition }, batch, ranges }: Write): void {
  let offset = batch.first;
  for (const { part, from, to } of ranges) {
    const { publication, indexes } = part;
    for (let i = from; i < to; i++) publication.positions[indexes[i] as number] = { partition, offset: offset++ };
    publication.open -= to - from;
    if (publication.open === 0) publication.resolve(publication.positions);
  }
}

function fail({ publication }: Part, fault: Fault): void {
  publication.failed = true;
  publication.reject(fault);
}

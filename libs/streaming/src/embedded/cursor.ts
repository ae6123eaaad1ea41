import type { BatchHandler } from '../broker-port.ts';
import type { Offsets, StoredOffset, Tracked } from '../offsets.ts';
import { remainingLingerMs } from '../lingering.ts';
import type { PartitionLog, Reader } from './partition-log.ts';
import { Run, type RecordRange } from './batch-run.ts';
import type { Store } from './embedded-store.ts';

const BACK_OFF_MS = { first: 20, most: 1_000 };
const READ_BYTES = 4 << 20;
const READ_BATCHES = { first: 8, most: 256 };

export interface Member {
  readonly handler: BatchHandler;
  readonly maxRecords: number;
  readonly lingerMs: number;
  active: number;
  readonly whenIdle: (() => void)[];
}

export interface CursorDeps {
  readonly store: Store;
  readonly offsets: Pick<Offsets, 'changed'>;
  warn(text: string, cause: unknown): void;
}

/** Handlers that never wait would block all others. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class Cursor implements Reader, Tracked {
  readonly group: string;
  readonly log: PartitionLog;
  readonly #deps: CursorDeps;
  #position: number;
  #member: Member | undefined;
  #epoch = 0;
  #running = false;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;
  #handledAt = -Infinity;
  #readAhead: Run;
  #boundary: number | undefined;
  #readBatches = READ_BATCHES.first;

  constructor(group: string, log: PartitionLog, position: number, deps: CursorDeps) {
    this.group = group;
    this.log = log;
    this.#position = position;
    this.#deps = deps;
    this.#readAhead = new Run(log, position);
  }

  get position(): number {
    return Math.max(this.#position, this.log.start);
  }

  toStored(): StoredOffset {
    return { group: this.group, topic: this.log.topic, partition: this.log.partition, offset: this.position };
  }

  assign(member: Member | undefined): void {
    if (member === this.#member) return;
    this.#member = member;
    if (member) {
      this.log.readers.add(this);
      this.#wake();
    } else {
      this.log.readers.delete(this);
      this.log.release();
      this.#stopWaiting();
      this.forget();
    }
  }

  seek(offset: number): void {
    this.#epoch++;
    this.#position = Math.min(offset, this.log.end);
    this.forget();
    this.#deps.offsets.changed(this);
    this.#wake();
  }

  forget(): void {
    this.#readAhead.reset(this.#position);
  }

  wake(): void {
    if (this.#running || this.#retry || !this.#member || this.position >= this.log.end) return;
    if (this.#mayLinger(this.#member)) {
      this.#linger ??= setTimeout(() => this.#start(), remainingLingerMs(this.#member.lingerMs, this.#handledAt));
    } else {
      this.#start();
    }
  }

  #start(): void {
    clearTimeout(this.#linger);
    this.#linger = undefined;
    this.#running = true;
    void this.#run();
  }

  #mayLinger({ lingerMs, maxRecords }: Member): boolean {
    return lingerMs > 0 && this.log.end - this.position < maxRecords;
  }

  #stopWaiting(): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#linger);
    this.#retry = undefined;
    this.#linger = undefined;
  }

  #wake(): void {
    this.#stopWaiting();
    this.#failures = 0;
    this.wake();
  }

  async #run(): Promise<void> {
    while (this.#member && !this.#retry && this.position < this.log.end) {
      const member = this.#member;
      member.active++;
      const progress = await this.#step(member).catch((error: unknown) => this.#failed('reading', error));
      member.active--;
      if (member.active === 0) for (const notify of member.whenIdle.splice(0)) notify();
      if (!progress) this.#backOff();
      if (this.position < this.log.end) await turn();
      if (this.#member && this.#mayLinger(this.#member)) break;
    }
    this.#running = false;
    this.wake();
  }

  #failed(operation: string, error: unknown): false {
    const { topic, partition } = this.log;
    this.#deps.warn(`${operation} ${topic}/${partition} at ${this.position} for group ${this.group} failed`, error);
    return false;
  }

  async #step(member: Member): Promise<boolean> {
    const epoch = this.#epoch;
    const range = await this.#take(member.maxRecords);
    const { records } = range;
    if (this.#member !== member || this.#epoch !== epoch) return true;
    const done = records.length === 0 ? 0 : await this.#handle(member, records);
    this.#handledAt = performance.now();
    if (this.#epoch !== epoch) return true;
    const next = done >= records.length ? range.next : records[done]?.offset;
    if (next === undefined || (done === 0 && records.length > 0)) return false;
    this.#failures = 0;
    this.#position = next;
    this.log.release();
    this.#deps.offsets.changed(this);
    return true;
  }

  async #handle(member: Member, records: RecordRange['records']): Promise<number> {
    const { topic, partition } = this.log;
    try {
      return (await member.handler({ topic, partition, records })) ?? records.length;
    } catch (error) {
      this.#failed('handling', error);
      return 0;
    }
  }

  #take(max: number): RecordRange | Promise<RecordRange> {
    const { position, log } = this;
    if (log.tail.covers(position)) {
      if (this.#readAhead.bytes > 0) this.forget();
      return log.tail.take(position, max);
    }
    if (!this.#readAhead.covers(position)) return this.#read(max);
    this.#readAhead.dropBelow(position);
    return this.#readAhead.take(position, max);
  }

  async #read(max: number): Promise<RecordRange> {
    const { position, log } = this;
    const { end } = log;
    const from = position === this.#boundary ? position : await this.#deps.store.batchHolding(log, position);
    const batches = await this.#deps.store.read(log, from ?? position, end, this.#readBatches);
    const ahead = new Run(log, position);
    for (const batch of batches) ahead.append(batch);
    if (batches.length === 0) ahead.extend(end);
    else this.#adapt(ahead.bytes / batches.length);
    if (position !== this.position) return { records: [], next: this.position };
    this.#readAhead = ahead;
    this.#boundary = ahead.to;
    return ahead.take(position, max);
  }

  #adapt(batchBytes: number): void {
    this.#readBatches = Math.min(READ_BATCHES.most, Math.max(1, Math.round(READ_BYTES / batchBytes)));
  }

  #backOff(): void {
    if (!this.#member) return;
    const delayMs = Math.min(BACK_OFF_MS.most, BACK_OFF_MS.first * 2 ** this.#failures++);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.wake();
    }, delayMs);
  }
}

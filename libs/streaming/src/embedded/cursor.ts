import type { BatchHandler } from '../broker-port.ts';
import type { Offsets, StoredOffset, Tracked } from '../offsets.ts';
import { lingerLeftMs } from '../lingering.ts';
import type { PartitionLog, Reader } from './partition-log.ts';
import { Run, type Taken } from './batch-run.ts';
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
  #ahead: Run;
  #boundary: number | undefined;
  #readBatches = READ_BATCHES.first;

  constructor(group: string, log: PartitionLog, position: number, deps: CursorDeps) {
    this.group = group;
    this.log = log;
    this.#position = position;
    this.#deps = deps;
    this.#ahead = new Run(log, position);
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
      this.#hurry();
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
    this.#hurry();
  }

  forget(): void {
    this.#ahead.reset(this.#position);
  }

  wake(): void {
    if (this.#running || this.#retry || !this.#member || this.position >= this.log.end) return;
    if (this.#mayLinger(this.#member)) {
      this.#linger ??= setTimeout(() => this.#start(), lingerLeftMs(this.#member.lingerMs, this.#handledAt));
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

  #hurry(): void {
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
      if (member.active === 0) for (const tell of member.whenIdle.splice(0)) tell();
      if (!progress) this.#backOff();
      if (this.position < this.log.end) await turn();
      if (this.#member && this.#mayLinger(this.#member)) break;
    }
    this.#running = false;
    this.wake();
  }

  #failed(what: string, error: unknown): false {
    const { topic, partition } = this.log;
    this.#deps.warn(`${what} ${topic}/${partition} at ${this.position} for group ${this.group} failed`, error);
    return false;
  }

  async #step(member: Member): Promise<boolean> {
    const epoch = this.#epoch;
    const taken = await this.#take(member.maxRecords);
    const { records } = taken;
    if (this.#member !== member || this.#epoch !== epoch) return true;
    const done = records.length === 0 ? 0 : await this.#handle(member, records);
    this.#handledAt = performance.now();
    if (this.#epoch !== epoch) return true;
    const next = done >= records.length ? taken.next : records[done]?.offset;
    if (next === undefined || (done === 0 && records.length > 0)) return false;
    this.#failures = 0;
    this.#position = next;
    this.log.release();
    this.#deps.offsets.changed(this);
    return true;
  }

  async #handle(member: Member, records: Taken['records']): Promise<number> {
    const { topic, partition } = this.log;
    try {
      return (await member.handler({ topic, partition, records })) ?? records.length;
    } catch (error) {
      this.#failed('handling', error);
      return 0;
    }
  }

  #take(max: number): Taken | Promise<Taken> {
    const { position, log } = this;
    if (log.tail.covers(position)) {
      if (this.#ahead.bytes > 0) this.forget();
      return log.tail.take(position, max);
    }
    if (!this.#ahead.covers(position)) return this.#read(max);
    this.#ahead.dropBelow(position);
    return this.#ahead.take(position, max);
  }

  async #read(max: number): Promise<Taken> {
    const { position, log } = this;
    const { end } = log;
    const from = position === this.#boundary ? position : await this.#deps.store.batchHolding(log, position);
    const batches = await this.#deps.store.read(log, from ?? position, end, this.#readBatches);
    const ahead = new Run(log, position);
    for (const batch of batches) ahead.append(batch);
    if (batches.length === 0) ahead.extend(end);
    else this.#adapt(ahead.bytes / batches.length);
    if (position !== this.position) return { records: [], next: this.position };
    this.#ahead = ahead;
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

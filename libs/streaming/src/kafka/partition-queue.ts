import { setImmediate as turn } from 'node:timers/promises';
import type { Offsets, StoredOffset, Tracked } from '../offsets.ts';
import type { BatchHandler, InRecord } from '../broker-port.ts';
import { remainingLingerMs } from '../lingering.ts';
import { sizeOf } from '../size.ts';

const BACK_OFF_MS = { first: 20, most: 1_000 };
const HANDOVER_BYTES = 4 << 20;
const FULL_BYTES = 2 << 20;
const RECORD_OVERHEAD_BYTES = 250;

export interface PartitionQueueOptions {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly position: number;
  readonly handler: BatchHandler;
  readonly maxRecords: number;
  readonly lingerMs: number;
  readonly before: Promise<void> | undefined;
  readonly offsets: Offsets;
  readonly warn: (text: string, cause: unknown) => void;
}

export class PartitionQueue implements Tracked {
  readonly #options: PartitionQueueOptions;
  #records: InRecord[] = [];
  #bytes = 0;
  #position: number;
  #next: number;
  #epoch = 0;
  #running: Promise<void> | undefined;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;
  #handledAt = -Infinity;
  #paused = false;
  #awaitsPrevious = false;
  #stopped = false;
  #lost = false;
  #room: (() => void)[] = [];

  constructor(options: PartitionQueueOptions) {
    this.#options = options;
    this.#position = options.position;
    this.#next = options.position;
    if (options.before) {
      this.#awaitsPrevious = true;
      void options.before.then(() => {
        this.#awaitsPrevious = false;
        this.#wake();
      });
    }
  }

  get position(): number {
    return this.#position;
  }

  get next(): number {
    return this.#next;
  }

  get isFull(): boolean {
    return this.#bytes >= FULL_BYTES;
  }

  toStored(): StoredOffset {
    const { group, topic, partition } = this.#options;
    return { group, topic, partition, offset: this.#position };
  }

  /** Skips known records. @returns false if there may be a gap before `from` */
  put(records: readonly InRecord[], from: number, next: number): boolean {
    if (from > this.#next) return false;
    if (this.#stopped || next <= this.#next) return true;
    for (const record of records) {
      if (record.offset < this.#next) continue;
      this.#records.push(record);
      this.#bytes += memoryOf(record);
    }
    this.skip(next);
    this.#wake();
    return true;
  }

  skip(next: number): void {
    this.#next = Math.max(next, this.#next);
    if (this.#records.length === 0) this.#advance();
  }

  async whenRoom(): Promise<void> {
    if (this.#bytes >= FULL_BYTES / 2 && !this.#stopped) await new Promise<void>((resolve) => this.#room.push(resolve));
  }

  seek(offset: number): void {
    this.#epoch++;
    this.#drop(this.#records.length);
    this.#position = offset;
    this.#next = offset;
    this.#failures = 0;
    this.#stopWaiting();
    this.#options.offsets.changed(this);
  }

  pause(): void {
    this.#paused = true;
  }

  release(): void {
    this.#paused = false;
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopWaiting();
    for (const notify of this.#room.splice(0)) notify();
    await this.#running;
  }

  async retire(): Promise<void> {
    this.#lost = true;
    await this.stop();
  }

  get #isReady(): boolean {
    return !this.#paused && !this.#awaitsPrevious && !this.#stopped && !this.#retry && this.#records.length > 0;
  }

  #mayLinger(): boolean {
    return this.#options.lingerMs > 0 && this.#records.length < this.#options.maxRecords && !this.isFull;
  }

  #wake(): void {
    if (this.#running || !this.#isReady) return;
    if (this.#mayLinger()) {
      this.#linger ??= setTimeout(() => this.#start(), remainingLingerMs(this.#options.lingerMs, this.#handledAt));
    } else {
      this.#start();
    }
  }

  #start(): void {
    clearTimeout(this.#linger);
    this.#linger = undefined;
    if (this.#isReady) this.#running = this.#run();
  }

  #stopWaiting(): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#linger);
    this.#retry = undefined;
    this.#linger = undefined;
  }

  async #run(): Promise<void> {
    do {
      const epoch = this.#epoch;
      const records = this.#first();
      const done = await this.#handle(records);
      this.#handledAt = performance.now();
      if (this.#epoch === epoch && !this.#lost) {
        this.#drop(done);
        if (done > 0) this.#advance();
        else this.#backOff();
      }
      // Handlers that never wait would block all others.
      await turn();
    } while (this.#isReady && !this.#mayLinger());
    this.#running = undefined;
    this.#wake();
  }

  #first(): readonly InRecord[] {
    let count = 0;
    let bytes = 0;
    for (const record of this.#records) {
      bytes += record.value.length;
      if (count === this.#options.maxRecords || (count > 0 && bytes > HANDOVER_BYTES)) break;
      count++;
    }
    return this.#records.slice(0, count);
  }

  async #handle(records: readonly InRecord[]): Promise<number> {
    const { topic, partition, handler, warn, group } = this.#options;
    try {
      return Math.min((await handler({ topic, partition, records })) ?? records.length, records.length);
    } catch (error) {
      warn(`handling ${topic}/${partition} at ${this.#position} for group ${group} failed`, error);
      return 0;
    }
  }

  #drop(count: number): void {
    for (const record of this.#records.splice(0, count)) this.#bytes -= memoryOf(record);
    if (this.#bytes < FULL_BYTES / 2) for (const notify of this.#room.splice(0)) notify();
  }

  #advance(): void {
    this.#failures = 0;
    this.#position = this.#records[0]?.offset ?? this.#next;
    this.#options.offsets.changed(this);
  }

  #backOff(): void {
    if (this.#stopped) return;
    const delayMs = Math.min(BACK_OFF_MS.most, BACK_OFF_MS.first * 2 ** this.#failures++);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#wake();
    }, delayMs);
  }
}

const memoryOf = (record: InRecord): number => sizeOf(record) + RECORD_OVERHEAD_BYTES;

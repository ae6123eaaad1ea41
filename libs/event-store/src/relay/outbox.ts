import { Fault } from '@tidings/kernel';
import { getOrAdd } from '../get-or-add.ts';
import { delay } from '../waiting.ts';

export interface RelayedRecord {
  readonly topic: string;
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Publisher {
  publish(topic: string, records: readonly Omit<RelayedRecord, 'topic'>[]): Promise<unknown>;
}

interface Part {
  readonly records: RelayedRecord[];
  resolve(): void;
  reject(error: unknown): void;
}

const MAX_RECORDS = 5000;
const MAX_BYTES = 4 * 1024 * 1024;
const PAUSE_MS = 50;
const MAX_PAUSE_MS = 2000;

export const isRefusal = (error: unknown): boolean =>
  error instanceof Fault && !['unavailable', 'throttled', 'conflict'].includes(error.kind);

/** Rejects only senders whose own records are refused. */
export class Outbox {
  readonly #broker: Publisher;
  readonly #onProblem: (error: unknown) => void;
  readonly #lingerMs: number;
  readonly #topics = new Map<string, Part[]>();
  readonly #running = new Set<string>();
  #closed = false;

  constructor(broker: Publisher, lingerMs: number, onProblem: (error: unknown) => void) {
    this.#broker = broker;
    this.#lingerMs = lingerMs;
    this.#onProblem = onProblem;
  }

  async send(records: readonly RelayedRecord[]): Promise<void> {
    const byTopic = new Map<string, RelayedRecord[]>();
    for (const record of records) getOrAdd(byTopic, record.topic, () => []).push(record);
    await Promise.all([...byTopic].map(([topic, part]) => this.#enqueue(topic, part)));
  }

  close(): void {
    this.#closed = true;
  }

  #enqueue(topic: string, records: RelayedRecord[]): Promise<void> {
    return new Promise((resolve, reject) => {
      getOrAdd(this.#topics, topic, () => []).push({ records, resolve, reject });
      if (this.#running.has(topic)) return;
      this.#running.add(topic);
      const run = (): void => void this.#run(topic);
      if (this.#lingerMs > 0) setTimeout(run, this.#lingerMs);
      else setImmediate(run);
    });
  }

  async #run(topic: string): Promise<void> {
    const waiting = this.#topics.get(topic)!;
    while (waiting.length > 0)
      await this.#publish(
        topic,
        waiting.splice(
          0,
          fitting(waiting, (part) => part.records),
        ),
      );
    this.#running.delete(topic);
  }

  async #publish(topic: string, parts: readonly Part[]): Promise<void> {
    let records: readonly RelayedRecord[] =
      parts.length === 1 ? parts[0]!.records : parts.flatMap((part) => part.records);
    for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      try {
        while (records.length > 0) {
          const count = fitting(records, (record) => [record]);
          await this.#broker.publish(topic, records.slice(0, count));
          records = records.slice(count);
          pause = PAUSE_MS;
        }
        for (const part of parts) part.resolve();
        return;
      } catch (error) {
        if (isRefusal(error) && parts.length > 1) {
          for (const part of parts) await this.#publish(topic, [part]);
          return;
        }
        if (isRefusal(error) || this.#closed) {
          for (const part of parts) part.reject(error);
          return;
        }
        this.#onProblem(error);
        await delay(pause);
      }
    }
  }
}

function fitting<Item>(items: readonly Item[], recordsOf: (item: Item) => readonly RelayedRecord[]): number {
  let records = 0;
  let bytes = 0;
  const first = items.findIndex((item) => {
    const own = recordsOf(item);
    records += own.length;
    for (const { value } of own) bytes += value.byteLength;
    return records > MAX_RECORDS || bytes > MAX_BYTES;
  });
  return first < 0 ? items.length : Math.max(1, first);
}

import { type Clock, Fault } from '@tidings/kernel';
import type { Message, Producer, ProducerRecord } from 'kafkajs';
import { partitionOf } from '../partition.ts';
import type { OutRecord, Position } from '../broker-port.ts';
import { GZIP } from './compression.ts';
import { checkedSize } from '../size.ts';
import { faultOf } from './kafka-faults.ts';

/** kafkajs takes quadratic time over the records of a request. */
const REQUEST_RECORDS = 1_000;
const REQUEST_BYTES = 4 << 20;
/** Below this, compression costs more than it saves. */
const COMPRESSED_BYTES = 4_096;
const PUBLISH_TIMEOUT_MS = 5_000;

interface Publication {
  readonly records: readonly OutRecord[];
  readonly positions: Position[];
  open: number;
  isOver: boolean;
  readonly timeout: NodeJS.Timeout;
  resolve(positions: readonly Position[]): void;
  reject(fault: Fault): void;
}

interface Slice {
  readonly publication: Publication;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

export interface PublisherDeps {
  readonly producer: Pick<Producer, 'send'>;
  readonly clock: Clock;
  readonly name: string;
  readonly topic: string;
  readonly partitions: number;
  readonly compressed: boolean;
}

/** One request at a time keeps order. Not idempotent: kafkajs cannot recover a lost sequence number. */
export class Publisher {
  readonly #deps: PublisherDeps;
  #waiting: Slice[] = [];
  #running: Promise<void> | undefined;
  readonly #open = new Set<Publication>();
  #idle: (() => void)[] = [];

  constructor(deps: PublisherDeps) {
    this.#deps = deps;
  }

  async publish(records: readonly OutRecord[]): Promise<readonly Position[]> {
    if (records.length === 0) return [];
    const sizes = records.map((record) => checkedSize(this.#deps.name, record));
    return new Promise((resolve, reject) => {
      const publication: Publication = {
        records,
        resolve,
        reject,
        open: records.length,
        isOver: false,
        positions: new Array<Position>(records.length),
        timeout: setTimeout(() => this.#fail([publication], overdue()), PUBLISH_TIMEOUT_MS),
      };
      this.#open.add(publication);
      this.#waiting.push(...slicesOf(publication, sizes));
      this.#running ??= this.#run();
    });
  }

  async drained(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  async #run(): Promise<void> {
    // Records published in the same turn are sent together.
    await Promise.resolve();
    for (let slices = this.#take(); slices.length > 0; slices = this.#take()) await this.#send(slices);
    this.#running = undefined;
  }

  #take(): Slice[] {
    const slices: Slice[] = [];
    let count = 0;
    let bytes = 0;
    let visited = 0;
    for (const slice of this.#waiting) {
      if (!slice.publication.isOver) {
        count += slice.to - slice.from;
        bytes += slice.bytes;
        if (slices.length > 0 && (count > REQUEST_RECORDS || bytes > REQUEST_BYTES)) break;
        slices.push(slice);
      }
      visited++;
    }
    this.#waiting = this.#waiting.slice(visited);
    return slices;
  }

  async #send(slices: readonly Slice[]): Promise<void> {
    try {
      const messages = slices.flatMap((slice) => this.#messagesOf(slice));
      const { producer, topic } = this.#deps;
      const written = await producer.send({ topic, messages, ...this.#compressionOf(slices) });
      this.#settle(
        slices,
        messages,
        new Map(written.map(({ partition, baseOffset }) => [partition, Number(baseOffset)])),
      );
    } catch (error) {
      const fault = faultOf(error);
      // One of them is faulty: the others must not fail with it.
      if (fault.kind !== 'unavailable' && slices.length > 1) for (const slice of slices) await this.#send([slice]);
      else
        this.#fail(
          slices.map(({ publication }) => publication),
          fault,
        );
    }
  }

  #compressionOf(slices: readonly Slice[]): Pick<ProducerRecord, 'compression'> {
    const bytes = slices.reduce((sum, slice) => sum + slice.bytes, 0);
    return this.#deps.compressed && bytes >= COMPRESSED_BYTES ? { compression: GZIP } : {};
  }

  #messagesOf({ publication: { records }, from, to }: Slice): (Message & { partition: number })[] {
    const timestamp = String(this.#deps.clock.now());
    let lastKey: string | undefined;
    let partition = 0;
    return records.slice(from, to).map(({ key, value, headers }) => {
      if (key !== lastKey) partition = partitionOf((lastKey = key), this.#deps.partitions);
      return { key, value: asBuffer(value), partition, timestamp, ...(headers && { headers }) };
    });
  }

  #settle(
    slices: readonly Slice[],
    messages: readonly { readonly partition: number }[],
    next: Map<number, number>,
  ): void {
    let i = 0;
    for (const { publication, from, to } of slices) {
      for (let at = from; at < to; at++) {
        const { partition } = messages[i++] as { readonly partition: number };
        const offset = next.get(partition);
        // kafkajs omits a partition when its leader changes between two tries.
        if (offset === undefined)
          return this.#fail(
            slices.map((slice) => slice.publication),
            overdue(),
          );
        next.set(partition, offset + 1);
        publication.positions[at] = { partition, offset };
      }
    }
    for (const { publication, from, to } of slices) {
      publication.open -= to - from;
      if (publication.open === 0 && this.#end(publication)) publication.resolve(publication.positions);
    }
  }

  #fail(publications: readonly Publication[], fault: Fault): void {
    for (const publication of publications) if (this.#end(publication)) publication.reject(fault);
  }

  #end(publication: Publication): boolean {
    if (publication.isOver) return false;
    publication.isOver = true;
    clearTimeout(publication.timeout);
    this.#open.delete(publication);
    if (this.#open.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    return true;
  }
}

const overdue = (): Fault => Fault.unavailable('Kafka has not acknowledged a publication');

const asBuffer = (value: Uint8Array): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);

function slicesOf(publication: Publication, sizes: readonly number[]): Slice[] {
  const slices: Slice[] = [];
  let from = 0;
  let bytes = 0;
  for (const [at, size] of sizes.entries()) {
    if (at > from && (at - from === REQUEST_RECORDS || bytes + size > REQUEST_BYTES)) {
      slices.push({ publication, from, to: at, bytes });
      from = at;
      bytes = 0;
    }
    bytes += size;
  }
  slices.push({ publication, from, to: sizes.length, bytes });
  return slices;
}

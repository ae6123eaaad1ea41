import type { InRecord } from '../broker-port.ts';
import { type Batch, recordsOf } from './embedded-batch.ts';
import type { PartitionId } from './embedded-store.ts';

const RECORD_OVERHEAD_BYTES = 250;
const HANDOVER_BYTES = 4 << 20;

export interface RecordRange {
  readonly records: readonly InRecord[];
  readonly next: number;
}

interface CachedBatch {
  readonly batch: Batch;
  readonly end: number;
  readonly bytes: number;
  records: readonly InRecord[] | undefined;
}

function indexIn(records: readonly InRecord[], offset: number): number {
  const start = Math.max(0, offset - (records[0]?.offset ?? offset));
  // Offsets are dense; compaction only moves records to the front.
  let index = Math.min(start, records.length);
  while (index > 0 && (records[index - 1]?.offset ?? 0) >= offset) index--;
  return index;
}

export class Run {
  readonly #partition: PartitionId;
  #cached: (CachedBatch | undefined)[] = [];
  #head = 0;
  #from: number;
  #to: number;
  #bytes = 0;

  constructor(partition: PartitionId, from: number) {
    this.#partition = partition;
    this.#from = from;
    this.#to = from;
  }

  get from(): number {
    return this.#from;
  }

  get to(): number {
    return this.#to;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get oldestAt(): number {
    return this.#cached[this.#head]?.batch.at ?? Infinity;
  }

  covers(offset: number): boolean {
    return offset >= this.#from && offset < this.#to;
  }

  append(batch: Batch): void {
    const bytes = batch.body.length + batch.count * RECORD_OVERHEAD_BYTES;
    const end = batch.first + batch.count;
    this.#cached.push({ batch, end, bytes, records: undefined });
    this.#to = end;
    this.#bytes += bytes;
  }

  extend(to: number): void {
    this.#to = Math.max(this.#to, to);
  }

  reset(from: number): void {
    this.#cached = [];
    this.#head = 0;
    this.#from = from;
    this.#to = from;
    this.#bytes = 0;
  }

  dropBelow(offset: number): void {
    let first = this.#cached[this.#head];
    while (first && first.end <= offset) {
      this.dropFirst();
      first = this.#cached[this.#head];
    }
  }

  dropFirst(): void {
    const first = this.#cached[this.#head];
    if (!first) return;
    this.#cached[this.#head] = undefined;
    this.#head++;
    this.#from = first.end;
    this.#bytes -= first.bytes;
    if (this.#head === this.#cached.length || this.#head >= 1024) {
      this.#cached = this.#cached.slice(this.#head);
      this.#head = 0;
    }
  }

  take(position: number, max: number): RecordRange {
    const parts: (readonly InRecord[])[] = [];
    let room = max;
    let bytes = 0;
    let next = this.#to;
    for (let i = this.#indexOf(position); i < this.#cached.length && room > 0; i++) {
      const cached = this.#cached[i] as CachedBatch;
      if (parts.length > 0 && bytes + cached.batch.body.length > HANDOVER_BYTES) break;
      const records = this.#recordsOf(cached);
      const start = indexIn(records, position);
      const all = start === 0 && records.length <= room;
      const part = all ? records : records.slice(start, start + room);
      const last = part.at(-1);
      next = last && start + part.length < records.length ? last.offset + 1 : cached.end;
      if (last) parts.push(part);
      room -= part.length;
      bytes += cached.batch.body.length;
    }
    const [first = [], ...others] = parts;
    return { records: others.length === 0 ? first : first.concat(...others), next };
  }

  #recordsOf(cached: CachedBatch): readonly InRecord[] {
    cached.records ??= recordsOf(cached.batch, this.#partition.topic, this.#partition.partition);
    return cached.records;
  }

  #indexOf(position: number): number {
    let low = this.#head;
    let high = this.#cached.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#cached[middle] as CachedBatch).end > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

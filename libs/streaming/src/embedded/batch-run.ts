import type { InRecord } from '../broker-port.ts';
import { type Batch, recordsOf } from './embedded-batch.ts';
import type { Place } from './embedded-store.ts';

const RECORD_OVERHEAD_BYTES = 250;
const HANDOVER_BYTES = 4 << 20;

export interface Taken {
  readonly records: readonly InRecord[];
  readonly next: number;
}

interface Held {
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
  readonly #place: Place;
  #held: (Held | undefined)[] = [];
  #head = 0;
  #from: number;
  #to: number;
  #bytes = 0;

  constructor(place: Place, from: number) {
    this.#place = place;
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
    return this.#held[this.#head]?.batch.at ?? Infinity;
  }

  covers(offset: number): boolean {
    return offset >= this.#from && offset < this.#to;
  }

  append(batch: Batch): void {
    const bytes = batch.body.length + batch.count * RECORD_OVERHEAD_BYTES;
    const end = batch.first + batch.count;
    this.#held.push({ batch, end, bytes, records: undefined });
    this.#to = end;
    this.#bytes += bytes;
  }

  extend(to: number): void {
    this.#to = Math.max(this.#to, to);
  }

  reset(from: number): void {
    this.#held = [];
    this.#head = 0;
    this.#from = from;
    this.#to = from;
    this.#bytes = 0;
  }

  dropBelow(offset: number): void {
    let first = this.#held[this.#head];
    while (first && first.end <= offset) {
      this.dropFirst();
      first = this.#held[this.#head];
    }
  }

  dropFirst(): void {
    const first = this.#held[this.#head];
    if (!first) return;
    this.#held[this.#head] = undefined;
    this.#head++;
    this.#from = first.end;
    this.#bytes -= first.bytes;
    if (this.#head === this.#held.length || this.#head >= 1024) {
      this.#held = this.#held.slice(this.#head);
      this.#head = 0;
    }
  }

  take(position: number, max: number): Taken {
    const parts: (readonly InRecord[])[] = [];
    let room = max;
    let bytes = 0;
    let next = this.#to;
    for (let i = this.#indexOf(position); i < this.#held.length && room > 0; i++) {
      const held = this.#held[i] as Held;
      if (parts.length > 0 && bytes + held.batch.body.length > HANDOVER_BYTES) break;
      const records = this.#recordsOf(held);
      const start = indexIn(records, position);
      const all = start === 0 && records.length <= room;
      const part = all ? records : records.slice(start, start + room);
      const last = part.at(-1);
      next = last && start + part.length < records.length ? last.offset + 1 : held.end;
      if (last) parts.push(part);
      room -= part.length;
      bytes += held.batch.body.length;
    }
    const [first = [], ...others] = parts;
    return { records: others.length === 0 ? first : first.concat(...others), next };
  }

  #recordsOf(held: Held): readonly InRecord[] {
    held.records ??= recordsOf(held.batch, this.#place.topic, this.#place.partition);
    return held.records;
  }

  #indexOf(position: number): number {
    let low = this.#head;
    let high = this.#held.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#held[middle] as Held).end > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

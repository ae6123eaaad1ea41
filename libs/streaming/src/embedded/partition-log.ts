import type { TopicKind, TopicSpec } from '../broker-port.ts';
import type { Batch } from './embedded-batch.ts';
import { Run } from './batch-run.ts';
import type { Place } from './embedded-store.ts';

/** A reader of a partition: the tail is kept in memory for it. */
export interface Reader {
  /** Offset of its next record. */
  readonly position: number;
  /** There is more to read. Returns quickly. */
  wake(): void;
}

/** The in-memory state of a topic's partition. */
export class PartitionLog implements Place {
  readonly topic: string;
  readonly kind: TopicKind;
  readonly retentionMs: number;
  readonly partition: number;
  /** Readers in this process; without any, nothing is kept in memory. */
  readonly readers = new Set<Reader>();
  readonly tail: Run;
  /** Everything below is removed. */
  start: number;
  /** The offset of the next record. */
  end: number;
  /** Everything below is compacted. */
  clean: number;
  /** Number of records left below `clean` after its compaction; 0 while unknown. */
  live = 0;
  /** No batch is older; undefined while unknown. */
  oldestAt: number | undefined;

  constructor(spec: TopicSpec, partition: number, known: { start: number; end: number; clean: number }) {
    this.topic = spec.name;
    this.kind = spec.kind;
    this.retentionMs = spec.retentionMs;
    this.partition = partition;
    this.start = known.start;
    this.end = known.end;
    this.clean = known.clean;
    this.tail = new Run(this, this.end);
  }

  get place(): Place {
    return { topic: this.topic, partition: this.partition };
  }

  /** Records a batch that was stored at the end. */
  append(batch: Batch): void {
    if (this.start === batch.first) this.oldestAt = batch.at;
    if (this.readers.size === 0) return;
    if (this.tail.to !== batch.first) this.tail.reset(batch.first);
    this.tail.append(batch);
  }

  wakeReaders(): void {
    for (const reader of this.readers) reader.wake();
  }

  /** Drops the batches in memory that every reader has passed. */
  release(): void {
    let passed = this.end;
    for (const { position } of this.readers) if (position < passed) passed = position;
    this.tail.dropBelow(passed);
  }
}

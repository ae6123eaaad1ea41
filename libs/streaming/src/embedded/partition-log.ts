import type { TopicKind, TopicSpec } from '../broker-port.ts';
import type { Batch } from './embedded-batch.ts';
import { Run } from './batch-run.ts';
import type { PartitionId } from './embedded-store.ts';

export interface Reader {
  readonly position: number;
  wake(): void;
}

export class PartitionLog implements PartitionId {
  readonly topic: string;
  readonly kind: TopicKind;
  readonly retentionMs: number;
  readonly partition: number;
  readonly readers = new Set<Reader>();
  readonly tail: Run;
  start: number;
  end: number;
  clean: number;
  live = 0;
  oldestAt: number | undefined;

  constructor(spec: TopicSpec, partition: number, bounds: { start: number; end: number; clean: number }) {
    this.topic = spec.name;
    this.kind = spec.kind;
    this.retentionMs = spec.retentionMs;
    this.partition = partition;
    this.start = bounds.start;
    this.end = bounds.end;
    this.clean = bounds.clean;
    this.tail = new Run(this, this.end);
  }

  get partitionId(): PartitionId {
    return { topic: this.topic, partition: this.partition };
  }

  append(batch: Batch): void {
    if (this.start === batch.first) this.oldestAt = batch.at;
    if (this.readers.size === 0) return;
    if (this.tail.to !== batch.first) this.tail.reset(batch.first);
    this.tail.append(batch);
  }

  wakeReaders(): void {
    for (const reader of this.readers) reader.wake();
  }

  release(): void {
    let lowest = this.end;
    for (const { position } of this.readers) if (position < lowest) lowest = position;
    this.tail.dropBelow(lowest);
  }
}

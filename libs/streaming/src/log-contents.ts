import type { InRecord, TopicSpec } from './broker-port.ts';
import type { StoredOffset } from './offsets.ts';

/** A topic with its contents' bounds. */
export interface StoredTopic extends TopicSpec {
  /** Offset of the next record of each partition. */
  readonly ends: readonly number[];
}

/** The topics of a log, and the offsets of its groups. */
export interface LogSummary {
  readonly topics: readonly StoredTopic[];
  /** The groups' offsets. */
  readonly offsets: readonly StoredOffset[];
}

/** A whole log at rest. */
export interface LogContents extends LogSummary {
  /** The records of a partition, in order, in batches. */
  records(topic: string, partition: number): AsyncGenerator<readonly InRecord[]>;
}

/** Fills an empty log with the contents of another. */
export interface LogImport {
  /** Appends records of a partition, in order. */
  append(topic: string, partition: number, records: readonly InRecord[]): Promise<void>;
  /** Stores the groups' offsets. Each group goes on with the record that it would have had next. */
  finish(): Promise<void>;
}

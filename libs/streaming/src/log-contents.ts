import type { InRecord, TopicSpec } from './broker-port.ts';
import type { StoredOffset } from './offsets.ts';

export interface StoredTopic extends TopicSpec {
  readonly ends: readonly number[];
}

export interface LogSummary {
  readonly topics: readonly StoredTopic[];
  readonly offsets: readonly StoredOffset[];
}

export interface LogContents extends LogSummary {
  records(topic: string, partition: number): AsyncGenerator<readonly InRecord[]>;
}

export interface LogImport {
  append(topic: string, partition: number, records: readonly InRecord[]): Promise<void>;
  finish(): Promise<void>;
}

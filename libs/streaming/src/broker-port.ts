/** `work` lasts until every group has passed it; `compacted` keeps the newest per key. */
export type TopicKind = 'work' | 'facts' | 'compacted';

/** Key, value and headers together. */
export const LARGEST_RECORD_BYTES = 8 << 20;

export const DEAD_LETTER_TOPIC = 'tidings.dead-letters';

export const LARGEST_DEAD_LETTER_BYTES = LARGEST_RECORD_BYTES + (64 << 10);

export interface TopicSpec {
  readonly name: string;
  readonly kind: TopicKind;
  readonly partitions: number;
  readonly retentionMs: number;
}

export type Headers = Readonly<Record<string, string>>;

export interface OutRecord {
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers?: Headers | undefined;
}

export interface InRecord extends OutRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Milliseconds since 1970 by the publisher's clock. */
  readonly timestamp: number;
}

export interface Position {
  readonly partition: number;
  readonly offset: number;
}

export interface RecordBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly InRecord[];
}

/** Takes at most 5 s. Returns the number of leading records done, unless all are. */
export type BatchHandler = (batch: RecordBatch) => Promise<void | number>;

export interface SubscribeOptions {
  readonly group: string;
  readonly topics: readonly string[];
  readonly handler: BatchHandler;
  /** @default 500 */
  readonly maxRecords?: number;
  /** For groups without offsets. @default 'earliest' */
  readonly from?: 'earliest' | 'latest';
  /** @default 0 */
  readonly lingerMs?: number;
  /** Keeps neither offsets nor records. @default false */
  readonly ephemeral?: boolean;
}

export interface Subscription {
  /** Waits for running handlers, and commits their offsets. */
  stop(): Promise<void>;
}

export interface GroupLag {
  readonly topic: string;
  readonly partition: number;
  /** Every record below this offset has been handled. */
  readonly committed: number;
  readonly end: number;
}

export interface Broker {
  /** Durable, in order per key. @throws Fault `unavailable` with an unknown outcome; `tooLarge` before any is published */
  publish(topic: string, records: readonly OutRecord[]): Promise<readonly Position[]>;
  /** Idempotent: an existing topic keeps its settings. */
  addTopic(topic: TopicSpec): Promise<void>;
  /** @throws Fault `argument` when a local member of the group subscribes to other topics */
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  lag(group: string): Promise<readonly GroupLag[]>;
  /** By partition; all 0 = nothing was ever published. */
  ends(topic: string): Promise<readonly number[]>;
  groups(): Promise<readonly string[]>;
  /** @throws Fault `conflict` when another process has the partition */
  seek(group: string, topic: string, partition: number, offset: number): Promise<void>;
  /** @throws Fault `conflict` while the group has a member */
  forget(group: string): Promise<void>;
  close(): Promise<void>;
}

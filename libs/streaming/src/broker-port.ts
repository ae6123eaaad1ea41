/** The streaming port of architecture 6: the only way in which services tell each other facts. Adapters: embedded and kafka. */

/** How a topic's records live: `work` until every group has passed them, `facts` for the topic's retention, `compacted` the newest per key. */
export type TopicKind = 'work' | 'facts' | 'compacted';

/** Bytes that a record's key, value and headers may have together. */
export const LARGEST_RECORD_BYTES = 8 << 20;

/** Where records go that could not be handled. */
export const DEAD_LETTER_TOPIC = 'tidings.dead-letters';

/** The same for records of {@link DEAD_LETTER_TOPIC}: a record as large as may be finds its place there, whole, with what is said of it. */
export const LARGEST_DEAD_LETTER_BYTES = LARGEST_RECORD_BYTES + (64 << 10);

export interface TopicSpec {
  readonly name: string;
  readonly kind: TopicKind;
  /** Number of partitions; a record goes to the partition of its key's hash. */
  readonly partitions: number;
  /** How long records live at most, in milliseconds. */
  readonly retentionMs: number;
}

/** Names and texts that travel beside a value. */
export type Headers = Readonly<Record<string, string>>;

export interface OutRecord {
  readonly key: string;
  readonly value: Uint8Array;
  /** The trace context travels here. None and an empty object are the same. */
  readonly headers?: Headers | undefined;
}

export interface InRecord extends OutRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** When the record was published, milliseconds since 1970 by the publisher's clock. */
  readonly timestamp: number;
}

/** Where a published record came to lie. */
export interface Position {
  readonly partition: number;
  readonly offset: number;
}

/** Records of one partition, in order, at most `maxRecords` of the subscription. */
export interface RecordBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly InRecord[];
}

/**
 * Handles a batch within 5 s. It returns when all records are done with, or the number of leading records that are, the rest being
 * delivered again. A thrown Fault `unavailable` is retried with back-off; any other error makes the wrapper hand the records over one
 * at a time and dead-letter the one that fails (architecture 6).
 */
export type BatchHandler = (batch: RecordBatch) => Promise<void | number>;

export interface SubscribeOptions {
  /**
   * Consumer group: each record goes to one member, and the group's offsets outlive it. All members of a group subscribe to the same
   * topics: partitions are dealt out as if each member could take any.
   */
  readonly group: string;
  readonly topics: readonly string[];
  readonly handler: BatchHandler;
  /** @default 500 */
  readonly maxRecords?: number;
  /** Where a group without offsets starts. @default 'earliest' */
  readonly from?: 'earliest' | 'latest';
  /** How long a batch that is not full may wait for more records: what can wait costs less. @default 0 */
  readonly lingerMs?: number;
}

export interface Subscription {
  /** Takes no new batch, waits for the handlers under way (their offsets are committed), and leaves the group. */
  stop(): Promise<void>;
}

export interface GroupLag {
  readonly topic: string;
  readonly partition: number;
  /** Offset of the next record that the group will be given: every record below it has been handled. */
  readonly committed: number;
  /** Offset that the next published record will get. */
  readonly end: number;
}

export interface Broker {
  /**
   * Resolves when the records are durable, with the position of each, in order. Records of one key keep their order.
   * @throws Fault `unavailable` when it is not known what became of them, `tooLarge` for a record over {@link LARGEST_RECORD_BYTES},
   * before any of them is published.
   */
  publish(topic: string, records: readonly OutRecord[]): Promise<readonly Position[]>;
  /** @throws Fault `argument` when a member of the group in this process subscribes to other topics. */
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  /** One entry per partition of the topics that the group has subscribed to at any time. */
  lag(group: string): Promise<readonly GroupLag[]>;
  /** Every group that has subscribed at any time, unless it was long ago. */
  groups(): Promise<readonly string[]>;
  /**
   * Sets a group's offset in one partition; takes effect at once for members of this process.
   * @throws Fault `conflict` when the partition is another process's.
   */
  seek(group: string, topic: string, partition: number, offset: number): Promise<void>;
  close(): Promise<void>;
}

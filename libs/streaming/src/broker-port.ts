/** The streaming port of architecture 6, by which services exchange facts. Adapters: embedded and kafka. */

/**
 * The lifetime of a topic's records: `work` until every group has passed them, `facts` for the topic's retention, `compacted` the newest per key.
 */
export type TopicKind = 'work' | 'facts' | 'compacted';

/** Maximum bytes of a record's key, value and headers together. */
export const LARGEST_RECORD_BYTES = 8 << 20;

/** The topic of records that could not be handled. */
export const DEAD_LETTER_TOPIC = 'tidings.dead-letters';

/** The same for records of {@link DEAD_LETTER_TOPIC}: they hold a record of the maximum size whole, with its description. */
export const LARGEST_DEAD_LETTER_BYTES = LARGEST_RECORD_BYTES + (64 << 10);

export interface TopicSpec {
  readonly name: string;
  readonly kind: TopicKind;
  /** Number of partitions; a record goes to the partition of its key's hash. */
  readonly partitions: number;
  /** Maximum lifetime of records, in milliseconds. */
  readonly retentionMs: number;
}

/** Names and texts beside a value. */
export type Headers = Readonly<Record<string, string>>;

export interface OutRecord {
  readonly key: string;
  readonly value: Uint8Array;
  /** Headers, which carry the trace context. Absent and empty headers are equivalent. */
  readonly headers?: Headers | undefined;
}

export interface InRecord extends OutRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Time of publication by the publisher's clock, in milliseconds since 1970. */
  readonly timestamp: number;
}

/** The place of a published record. */
export interface Position {
  readonly partition: number;
  readonly offset: number;
}

/** Records of one partition, in order, at most the subscription's `maxRecords`. */
export interface RecordBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly InRecord[];
}

/**
 * Handles a batch within 5 s. Returns when all records are done, or the number of leading records that are; the others are delivered again. A thrown
 * Fault `unavailable` is retried with back-off; after any other error the wrapper delivers the records one at a time and dead-letters the failing one
 * (architecture 6).
 */
export type BatchHandler = (batch: RecordBatch) => Promise<void | number>;

export interface SubscribeOptions {
  /**
   * Consumer group: each record goes to one member, and the group's offsets outlive it. All members of a group subscribe to the same topics:
   * partitions are assigned as if each member could take any.
   */
  readonly group: string;
  readonly topics: readonly string[];
  readonly handler: BatchHandler;
  /** @default 500 */
  readonly maxRecords?: number;
  /** The start of a group without offsets. @default 'earliest' */
  readonly from?: 'earliest' | 'latest';
  /** Time after a batch for which an incomplete one waits for more records: fewer batches cost less. @default 0 */
  readonly lingerMs?: number;
  /** The group ends with its last subscription: nothing is kept of it, and no record is kept for it. @default false */
  readonly ephemeral?: boolean;
}

export interface Subscription {
  /** Takes no new batch, waits for running handlers (their offsets are committed), and leaves the group. */
  stop(): Promise<void>;
}

export interface GroupLag {
  readonly topic: string;
  readonly partition: number;
  /** Offset of the next record for the group: every record below it has been handled. */
  readonly committed: number;
  /** Offset of the next published record. */
  readonly end: number;
}

export interface Broker {
  /**
   * Resolves when the records are durable, with their positions, in order. Records of one key keep their order.
   * @throws Fault `unavailable` when their outcome is unknown, `tooLarge` for a record over {@link LARGEST_RECORD_BYTES}, before any of them is
   * published
   */
  publish(topic: string, records: readonly OutRecord[]): Promise<readonly Position[]>;
  /**
   * Creates a topic unless it exists; this process may publish to it and subscribe to it from then on. An existing one keeps its partitions and its
   * settings.
   * @throws Fault `unavailable` when it is unknown whether the topic exists
   */
  addTopic(topic: TopicSpec): Promise<void>;
  /** Subscribes a member. @throws Fault `argument` when a member of the group in this process subscribes to other topics */
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  /** One entry per partition of the topics that the group has ever subscribed to. */
  lag(group: string): Promise<readonly GroupLag[]>;
  /**
   * Offsets of the next record of each partition, by partition. They never decrease; all 0 = no record has ever been published to the topic.
   */
  ends(topic: string): Promise<readonly number[]>;
  /** Every group that has subscribed, unless long ago. */
  groups(): Promise<readonly string[]>;
  /**
   * Sets a group's offset in one partition; takes effect at once for members of this process.
   * @throws Fault `conflict` when another process has the partition
   */
  seek(group: string, topic: string, partition: number, offset: number): Promise<void>;
  /** Removes the offsets of a group that is no longer used. @throws Fault `conflict` while it has a member */
  forget(group: string): Promise<void>;
  close(): Promise<void>;
}

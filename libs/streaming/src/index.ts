export { consume, type ConsumeOptions, type Decoded, type Incident, type Reader, type Readers } from './consume.ts';
export { embeddedLogCollections } from './embedded/storage/log.schema.ts';
export { type EmbeddedBroker, type EmbeddedBrokerOptions, openEmbeddedBroker } from './embedded/embedded-broker.ts';
export { fillEmbeddedLog, readEmbeddedLog } from './embedded/whole-log.ts';
export { fillKafka, type FillKafkaOptions } from './kafka/fill-kafka.ts';
export type { LogContents, LogImport, LogSummary, StoredTopic } from './log-contents.ts';
export type { StoredOffset } from './offsets.ts';
export type { KafkaClientOptions } from './kafka/kafka-client.ts';
export { type KafkaBrokerOptions, openKafkaBroker } from './kafka/kafka-broker.ts';
export { compareTopics, createTopics, type CreateTopicsOptions, type TopicChanges } from './kafka/create-topics.ts';
export { type MicroBatcher, type MicroBatcherOptions, microBatcher } from './micro-batcher.ts';
export { incidentsTo, observed } from './observed.ts';
export { type DeadLetter, type DeadLetterReason, readDeadLetter, toDeadLetterRecord } from './dead-letters.ts';
export { partitionOf } from './partition.ts';
export {
  type BatchHandler,
  type Broker,
  type GroupLag,
  type Headers,
  type InRecord,
  LARGEST_RECORD_BYTES,
  DEAD_LETTER_TOPIC,
  type OutRecord,
  type Position,
  type RecordBatch,
  type SubscribeOptions,
  type Subscription,
  type TopicKind,
  type TopicSpec,
} from './broker-port.ts';

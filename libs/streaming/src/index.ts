export { consume, type ConsumeOptions, type Decoded, type Incident, type Reader, type Readers } from './consume.ts';
export { embeddedLogCollections } from './embedded/storage/log.schema.ts';
export { type EmbeddedBroker, openEmbeddedBroker } from './embedded/embedded-broker.ts';
export { fillEmbeddedLog, readEmbeddedLog } from './embedded/whole-log.ts';
export { fillKafka } from './kafka/fill-kafka.ts';
export type { LogContents, LogImport, LogSummary } from './log-contents.ts';
export { openKafkaBroker } from './kafka/kafka-broker.ts';
export { compareTopics, createTopics, type TopicChanges } from './kafka/create-topics.ts';
export { microBatcher } from './micro-batcher.ts';
export { incidentsTo, observed } from './observed.ts';
export { type DeadLetter, type DeadLetterReason, readDeadLetter, toDeadLetterRecord } from './dead-letters.ts';
export {
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
} from './broker-port.ts';

import type { ConsumerConfig } from 'kafkajs';
import { LONG_RETRY } from './kafka-client.ts';

/** A member that is silent for this time is dead. */
const SESSION_MS = 10_000;
const HEARTBEAT_MS = 1_000;
/** Time for members to return in a rebalance. */
const REBALANCE_MS = 15_000;
/** Time for which a fetch waits for records at the broker, and about the time in which a member notices a rebalance. */
const FETCH_WAIT_MS = 1_000;
const FETCH_BYTES = { partition: 1 << 20, all: 8 << 20 };

/** The options of every kafkajs consumer. It does not restart consumers that end in an error: they are replaced. */
export const consumerSettings = {
  sessionTimeout: SESSION_MS,
  heartbeatInterval: HEARTBEAT_MS,
  rebalanceTimeout: REBALANCE_MS,
  maxWaitTimeInMs: FETCH_WAIT_MS,
  maxBytesPerPartition: FETCH_BYTES.partition,
  maxBytes: FETCH_BYTES.all,
  allowAutoTopicCreation: false,
  retry: { ...LONG_RETRY, restartOnFailure: () => Promise.resolve(false) },
} satisfies Partial<ConsumerConfig>;

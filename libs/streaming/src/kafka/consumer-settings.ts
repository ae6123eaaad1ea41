import type { ConsumerConfig } from 'kafkajs';
import { LONG_RETRY } from './kafka-client.ts';

const SESSION_MS = 10_000;
const HEARTBEAT_MS = 1_000;
const REBALANCE_MS = 15_000;
const FETCH_WAIT_MS = 1_000;
const FETCH_BYTES = { partition: 1 << 20, all: 8 << 20 };

/** kafkajs does not restart failed consumers: they are replaced. */
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

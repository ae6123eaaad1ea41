import type { ConsumerConfig } from 'kafkajs';
import { LONG_RETRY } from './kafka-client.ts';

/** A member that is not heard of for so long is dead. */
const SESSION_MS = 10_000;
const HEARTBEAT_MS = 1_000;
/** How long members have to come back when the group is dealt out anew. */
const REBALANCE_MS = 15_000;
/** How long a fetch waits for records at the broker, and so about how long a member takes to notice that the group is dealt out anew. */
const FETCH_WAIT_MS = 1_000;
const FETCH_BYTES = { partition: 1 << 20, all: 8 << 20 };

/** What every consumer of kafkajs is made with. Those that end in an error are not started again by it, but replaced. */
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

import { createRequire } from 'node:module';

/** kafkajs' membership of one consumer, as far as it is touched here. */
interface ConsumerGroup {
  /** Maximum time for which the broker may keep the next fetch. */
  maxWaitTime: number;
  paused: (this: ConsumerGroup) => readonly unknown[];
  fetch: (this: ConsumerGroup, nodeId: string) => Promise<readonly unknown[]>;
}

/** kafkajs' loop of one consumer, as far as it is touched here. */
interface Runner {
  readonly consumerGroup: ConsumerGroup;
  stop: (this: Runner) => Promise<void>;
}

/** While a partition is paused: a fetch under way does not bring it once it is resumed. */
const PAUSED_WAIT_MS = 200;

const require = createRequire(import.meta.url);
const groups = require('kafkajs/src/consumer/consumerGroup') as { readonly prototype: ConsumerGroup };
const runners = require('kafkajs/src/consumer/runner') as { readonly prototype: Runner };
const { fetch } = groups.prototype;
const { stop } = runners.prototype;

const longestWaits = new WeakMap<ConsumerGroup, number>();
const underWay = new WeakMap<ConsumerGroup, Set<() => void>>();

/**
 * Lets fetches wait long at the broker where that delays nothing: an idle subscription costs a request per wait. kafkajs 2.2.4 waits equally
 * long whether partitions are paused or not, and a consumer that stops waits for the answer of its last fetch.
 */
groups.prototype.fetch = async function (nodeId) {
  const longest = longestWaits.get(this) ?? this.maxWaitTime;
  longestWaits.set(this, longest);
  this.maxWaitTime = this.paused().length > 0 ? Math.min(longest, PAUSED_WAIT_MS) : longest;
  const ends = underWay.get(this) ?? new Set();
  underWay.set(this, ends);
  const ended = Promise.withResolvers<readonly unknown[]>();
  const end = (): void => ended.resolve([]);
  ends.add(end);
  try {
    return await Promise.race([fetch.call(this, nodeId), ended.promise]);
  } finally {
    ends.delete(end);
  }
};

runners.prototype.stop = function () {
  const stopped = stop.call(this);
  // The loop knows by now that it is to end.
  for (const end of underWay.get(this.consumerGroup) ?? []) end();
  return stopped;
};

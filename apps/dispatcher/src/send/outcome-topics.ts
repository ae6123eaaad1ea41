import type { Lane } from '@tidings/delivery';
import { topicNames } from '@tidings/events';
import type { Closing } from '@tidings/runtime';
import { type Broker, microBatcher } from '@tidings/streaming';
import type { OutcomeRecord } from './outcome-records.ts';

/** Each record of outcomes costs four consumers a read and a write; a broadcast has twenty a second. */
const INTERVAL_MS: Readonly<Record<Lane, number>> = { broadcast: 50, direct: 0 };

export type OutcomePublishers = Readonly<Record<Lane, (record: OutcomeRecord) => Promise<void>>>;

/** All channels of the process share them. */
export function outcomePublishers(broker: Pick<Broker, 'publish'>, closing: Closing): OutcomePublishers {
  const deadTokens = microBatcher(broker, topicNames.deadTokens);
  closing.add('dead tokens', deadTokens, (batcher) => batcher.drained());
  const publisherOf = (lane: Lane): OutcomePublishers[Lane] => {
    const outcomes = microBatcher(broker, topicNames.outcomes, { minIntervalMs: INTERVAL_MS[lane] });
    closing.add(`${lane} outcomes`, outcomes, (batcher) => batcher.drained());
    return async ({ deadTokens: tokens, isSettled: _, hasResults: __, attemptId: ___, ...record }) => {
      // Tokens go first: after the outcome, which settles the slice, they would not be published again.
      if (tokens) await deadTokens.publish({ key: record.key, value: tokens });
      await outcomes.publish(record);
    };
  };
  return { broadcast: publisherOf('broadcast'), direct: publisherOf('direct') };
}

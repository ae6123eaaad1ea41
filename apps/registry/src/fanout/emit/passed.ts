import { dispatcherGroup, type Lane } from '@tidings/delivery';
import { batchesTopic } from '@tidings/events';
import type { Broker, GroupLag, Position } from '@tidings/streaming';

/** Whether the dispatchers of a channel have passed a record of one of its lanes. */
export type Passed = (channel: string, lane: Lane) => Promise<(emission: Position) => boolean>;

/**
 * Asks for the lag of each group once, when it is first needed. Later answers are as of that time: what has been passed since seems not to be, and is
 * found to be by the next one who asks.
 */
export function passedOnce(broker: Pick<Broker, 'lag'>): Passed {
  const known = new Map<string, Promise<readonly GroupLag[]>>();
  return async (channel, lane) => {
    const group = dispatcherGroup(channel, lane);
    const lag = known.get(group) ?? broker.lag(group);
    known.set(group, lag);
    return passedBy(await lag, channel, lane);
  };
}

/** Whether a channel's dispatchers have passed a record of one of its lanes. */
export const passedBy = (lag: readonly GroupLag[], channel: string, lane: Lane): ((emission: Position) => boolean) =>
  passedIn(lag, batchesTopic(channel, lane === 'direct'));

/**
 * Whether a group with this lag has passed a record of a topic. One that the topic does not hold yet counts as passed: the topic was made anew since,
 * for example after a restore of MongoDB alone, and nobody can ever handle that record.
 */
export function passedIn(lag: readonly GroupLag[], topic: string): (position: Position) => boolean {
  const lags = new Map(lag.filter((each) => each.topic === topic).map((each) => [each.partition, each]));
  return ({ partition, offset }) => {
    const found = lags.get(partition);
    return found !== undefined && (found.committed > offset || found.end <= offset);
  };
}

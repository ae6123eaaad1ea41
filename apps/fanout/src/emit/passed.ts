import { dispatcherGroup, type Lane } from '@tidings/delivery';
import { batchesTopic } from '@tidings/events';
import type { Broker, GroupLag, Position } from '@tidings/streaming';

/** Whether the dispatchers of a channel have passed a record of one of its lanes. */
export type Passed = (channel: string, lane: Lane) => Promise<(emission: Position) => boolean>;

/**
 * Asks for the lag of each group once, when it is first needed. Later answers are as of that time: a record that has been passed since seems not to be
 * passed until another call of this function.
 */
export function passedOnce(broker: Pick<Broker, 'lag' | 'ends'>): Passed {
  const known = new Map<string, Promise<(emission: Position) => boolean>>();
  return (channel, lane) => {
    const group = dispatcherGroup(channel, lane);
    const passed = known.get(group) ?? passedNow(broker, group, batchesTopic(channel, lane === 'direct'));
    known.set(group, passed);
    return passed;
  };
}

/**
 * Whether a channel's dispatchers have passed a record. One that the topic does not hold yet counts as passed: the topic was made anew since, for
 * example after a restore of MongoDB alone, and nobody can ever handle that record.
 */
async function passedNow(
  broker: Pick<Broker, 'lag' | 'ends'>,
  group: string,
  topic: string,
): Promise<(emission: Position) => boolean> {
  const lag = (await broker.lag(group)).filter((each) => each.topic === topic);
  const handled = passedIn(lag, topic);
  // A group has no lag in a topic that it has handled nothing of.
  const known = new Map(lag.map(({ partition, end }) => [partition, end]));
  const ends = lag.length > 0 ? known : new Map((await broker.ends(topic)).entries());
  return (position) => handled(position) || position.offset >= (ends.get(position.partition) ?? Infinity);
}

/** Whether a group with this lag has handled a record of a topic. */
export function passedIn(lag: readonly GroupLag[], topic: string): (position: Position) => boolean {
  const committed = new Map(lag.filter((each) => each.topic === topic).map((each) => [each.partition, each.committed]));
  return ({ partition, offset }) => (committed.get(partition) ?? 0) > offset;
}

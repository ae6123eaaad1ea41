import { dispatcherGroup, type Lane } from '@tidings/delivery';
import { batchesTopic } from '@tidings/events';
import type { Broker, GroupLag, Position } from '@tidings/streaming';

export type Passed = (channel: string, lane: Lane) => Promise<(emission: Position) => boolean>;

/** Records passed after the first call seem not to be passed. */
export function passedOnce(broker: Pick<Broker, 'lag' | 'ends'>): Passed {
  const known = new Map<string, Promise<(emission: Position) => boolean>>();
  return (channel, lane) => {
    const group = dispatcherGroup(channel, lane);
    const passed = known.get(group) ?? passedNow(broker, group, batchesTopic(channel, lane === 'direct'));
    known.set(group, passed);
    return passed;
  };
}

/** A record beyond the topic's end counts as passed: the topic was made anew. */
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

export function passedIn(lag: readonly GroupLag[], topic: string): (position: Position) => boolean {
  const committed = new Map(lag.filter((each) => each.topic === topic).map((each) => [each.partition, each.committed]));
  return ({ partition, offset }) => (committed.get(partition) ?? 0) > offset;
}

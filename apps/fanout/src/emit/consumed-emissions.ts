import { dispatcherGroup, type Lane } from '@tidings/delivery';
import { batchesTopic } from '@tidings/events';
import type { Broker, GroupLag, Position } from '@tidings/streaming';

export type ConsumedEmissions = (channel: string, lane: Lane) => Promise<(emission: Position) => boolean>;

/** Records passed after the first call seem not to be passed. */
export function consumedEmissions(broker: Pick<Broker, 'lag' | 'ends'>): ConsumedEmissions {
  const cached = new Map<string, Promise<(emission: Position) => boolean>>();
  return (channel, lane) => {
    const group = dispatcherGroup(channel, lane);
    const consumed = cached.get(group) ?? readConsumed(broker, group, batchesTopic(channel, lane === 'direct'));
    cached.set(group, consumed);
    return consumed;
  };
}

/** A record beyond the topic's end counts as passed: the topic was made anew. */
async function readConsumed(
  broker: Pick<Broker, 'lag' | 'ends'>,
  group: string,
  topic: string,
): Promise<(emission: Position) => boolean> {
  const lag = (await broker.lag(group)).filter((each) => each.topic === topic);
  const handled = consumedIn(lag, topic);
  // A group has no lag in a topic that it has handled nothing of.
  const lagEnds = new Map(lag.map(({ partition, end }) => [partition, end]));
  const ends = lag.length > 0 ? lagEnds : new Map((await broker.ends(topic)).entries());
  return (position) => handled(position) || position.offset >= (ends.get(position.partition) ?? Infinity);
}

export function consumedIn(lag: readonly GroupLag[], topic: string): (position: Position) => boolean {
  const committed = new Map(lag.filter((each) => each.topic === topic).map((each) => [each.partition, each.committed]));
  return ({ partition, offset }) => (committed.get(partition) ?? 0) > offset;
}

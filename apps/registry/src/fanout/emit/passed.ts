import type { Lane } from '@tidings/delivery';
import { batchesTopic } from '@tidings/events';
import type { GroupLag, Position } from '@tidings/streaming';

/** Whether a channel's dispatchers have passed a record of one of its lanes. */
export const passedBy = (lag: readonly GroupLag[], channel: string, lane: Lane): ((emission: Position) => boolean) =>
  passedIn(lag, batchesTopic(channel, lane === 'direct'));

/** Whether a group with this lag has passed a record of a topic. */
export function passedIn(lag: readonly GroupLag[], topic: string): (position: Position) => boolean {
  const committed = new Map(lag.filter((each) => each.topic === topic).map((each) => [each.partition, each.committed]));
  return ({ partition, offset }) => (committed.get(partition) ?? 0) > offset;
}

import { messageApplicationKey, messageChunkKey } from '@tidings/delivery';
import type { Commit, RelayedRecord } from '@tidings/event-store';
import { PlanEvent, topicNames } from '@tidings/events';

export function planRecords({ log, position, events }: Commit<PlanEvent>): RelayedRecord[] {
  const published = events.flatMap((event, index) => (isPublished(event) ? [{ event, index }] : []));
  return published.map(({ event, index }) => ({
    topic: topicNames.plans,
    key: recordKeyOf(event),
    value: PlanEvent.encode({ ...event, stamp: { log, position: BigInt(position), index } }).finish(),
  }));
}

/** Badges have columns of a whole chunk, and concern nobody else. */
const isPublished = ({ event }: PlanEvent): boolean =>
  event?.$case !== 'badgesAllotted' && event?.$case !== 'badgesSettled';

function recordKeyOf({ message, application, event }: PlanEvent): string {
  return event === undefined || event.$case === 'fanout'
    ? messageApplicationKey({ message, application })
    : messageChunkKey({ message, application, chunk: event.value.chunk });
}

import { subscriberTopic } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { type Broker, microBatcher } from '@tidings/streaming';
import type { KafkaEndpoint } from '../../subscriptions/endpoint.ts';
import { ANSWER_MS } from '../unacked.ts';
import { type LinkListener, type Link, type OpenLink, reasonOf } from './link-port.ts';

/** Maximum events that the broker has yet to acknowledge: a stream that is broken sends all of them again. */
const MAX_WAITING = 500;

/** Whether the broker refuses this record, and would take others: the batcher has published it by itself. */
const isOfRecord = (error: unknown): boolean => error instanceof Fault && error.kind !== 'unavailable';

/**
 * Publishes events as WebhookRequest records, keyed `<application>/<hwid>`, to a topic of the subscriber's own, which is made if it is missing. The
 * acknowledgement of the broker is the ack (R-EV1). Subscriptions may share a topic: the header `subscription` names theirs.
 */
export const openKafkaLink: OpenLink<KafkaEndpoint> = async ({ endpoint, subscription, listener }, { broker }) => {
  await broker.addTopic(subscriberTopic(endpoint.topic));
  return topicLink(broker, { topic: endpoint.topic, subscription, listener });
};

export function topicLink(
  broker: Pick<Broker, 'publish'>,
  {
    topic,
    subscription,
    listener,
  }: { readonly topic: string; readonly subscription: string; readonly listener: LinkListener },
): Link {
  const headers = { subscription };
  const records = microBatcher(broker, topic);
  let isOpen = true;
  let waiting = 0;
  const published = (uuid: string): void => {
    const wasFull = waiting-- >= MAX_WAITING;
    if (!isOpen) return;
    listener.acked(uuid);
    if (wasFull) listener.drained();
  };
  const failed = (uuid: string, error: Error): void => {
    if (!isOpen) return;
    if (isOfRecord(error)) {
      const wasFull = waiting-- >= MAX_WAITING;
      listener.failed([uuid], 'refused', reasonOf(error));
      if (wasFull) listener.drained();
      return;
    }
    isOpen = false;
    listener.broken(error);
  };
  return {
    answerMs: ANSWER_MS,
    get isWritable() {
      return isOpen && waiting < MAX_WAITING;
    },
    send(event) {
      if (!isOpen) return;
      waiting++;
      const key = `${event.applicationCode}/${event.hwid}`;
      records.publish({ key, value: event.bytes, headers }).then(
        () => published(event.uuid),
        (error: Error) => failed(event.uuid, error),
      );
    },
    close() {
      isOpen = false;
    },
  };
}

import { subscriberTopic } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { type Broker, microBatcher } from '@tidings/streaming';
import type { KafkaEndpoint } from '../../subscriptions/endpoint.ts';
import { ANSWER_MS } from '../unacked.ts';
import { type LinkListener, type Link, type OpenLink, reasonOf } from './link-port.ts';

/** A broken stream sends all of them again. */
const MAX_WAITING = 500;

/** The broker would take other records. */
const isOfRecord = (error: unknown): boolean => error instanceof Fault && error.kind !== 'unavailable';

/** The broker's acknowledgement is the ack (R-EV1). */
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

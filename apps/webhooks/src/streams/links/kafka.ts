import { kafkaEventOf } from '@tidings/contract';
import { EventFormat, subscriberTopic } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { WebhookRequest } from '@tidings/rpc';
import { type Broker, microBatcher, type OutRecord } from '@tidings/streaming';
import type { OutgoingEvent } from '../../events/outgoing-event.ts';
import type { KafkaEndpoint } from '../../subscriptions/endpoint.ts';
import { ANSWER_MS } from '../unacked.ts';
import { type Link, type LinkRequest, type OpenLink, reasonOf } from './link-port.ts';

/** A broken stream sends all of them again. */
const MAX_WAITING = 500;

/** The broker would take other records. */
const isOfRecord = (error: unknown): boolean => error instanceof Fault && error.kind !== 'unavailable';

/** The broker's acknowledgement is the ack (R-EV1). */
export const openKafkaLink: OpenLink<KafkaEndpoint> = async (request, { broker }) => {
  const { topic } = request.endpoint;
  await broker.addTopic(subscriberTopic(topic));
  return topicLink(broker, { ...request, topic });
};

interface TopicLink extends Pick<LinkRequest<KafkaEndpoint>, 'subscription' | 'format' | 'listener'> {
  readonly topic: string;
}

function recordOf({ applicationCode, hwid, bytes }: OutgoingEvent, { subscription, format }: TopicLink): OutRecord {
  const key = `${applicationCode}/${hwid}`;
  if (format !== EventFormat.EVENT_FORMAT_JSON) return { key, value: bytes, headers: { subscription } };
  const { headers, json } = kafkaEventOf(WebhookRequest.decode(bytes));
  return { key, value: Buffer.from(json), headers: { ...headers, subscription } };
}

export function topicLink(broker: Pick<Broker, 'publish'>, of: TopicLink): Link {
  const { topic, listener } = of;
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
      const record = recordOf(event, of);
      waiting++;
      records.publish(record).then(
        () => published(event.uuid),
        (error: Error) => failed(event.uuid, error),
      );
    },
    close() {
      isOpen = false;
    },
  };
}

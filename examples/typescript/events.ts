import { fileURLToPath } from 'node:url';
import { loadSync, type MethodDefinition } from '@grpc/proto-loader';

/** The fields of a WebhookRequest that the examples use, under their names in the proto file. */
export interface Event {
  readonly uuid: string;
  readonly event_name: string;
  readonly message_code: string;
}

/** The answer to an event. */
export interface Answer {
  readonly uuid: string;
  readonly status: string;
}

const definition = loadSync('tidings/events/v1/event_stream.proto', {
  includeDirs: [fileURLToPath(new URL('../../proto', import.meta.url))],
  keepCase: true,
  longs: String,
});

const { Subscribe } = definition['tidings.events.v1.EventStream'] as unknown as {
  readonly Subscribe: MethodDefinition<Answer, Event>;
};

/** The method that consumers dial: its path, and the codecs of events and answers. A record in Kafka is an encoded event, too. */
export const subscribe = Subscribe;

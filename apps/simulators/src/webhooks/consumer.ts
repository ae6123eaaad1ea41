import { setTimeout as delay } from 'node:timers/promises';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { EventStreamDefinition, WebhookRequest, WebhookResponse } from '@tidings/rpc';

export interface ConsumerOptions {
  /** `host:port` of the event streams. */
  readonly address: string;
  /** Metadata of the call; undefined = left out. */
  readonly authorization?: string | undefined;
  readonly subscription?: string | undefined;
}

export interface CallEnd {
  readonly code: number;
  readonly details: string;
}

export interface Consumer {
  /** In order of arrival. */
  readonly received: WebhookRequest[];
  /** Undefined = no acknowledgement. @default always 'ok' */
  answer: (event: WebhookRequest) => string | undefined;
  /** Before each acknowledgement, in sequence. @default 0 */
  delayMs: number;
  readonly ended: Promise<CallEnd>;
  /** Unread events stay in the connection. */
  read(on: boolean): void;
  /** As the death of the process would. */
  kill(): void;
}

const { fullName, methods } = EventStreamDefinition;

/** Resolves when the call is accepted or has ended. */
export async function dialIn({ address, authorization, subscription }: ConsumerOptions): Promise<Consumer> {
  const { Client, credentials, Metadata } = await import('@grpc/grpc-js');
  const client = new Client(address, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  const metadata = new Metadata();
  if (authorization !== undefined) metadata.set('authorization', authorization);
  if (subscription !== undefined) metadata.set('subscription', subscription);
  const stream: ClientDuplexStream<WebhookResponse, WebhookRequest> = client.makeBidiStreamRequest(
    `/${fullName}/${methods.subscribe.name}`,
    (response: WebhookResponse) => Buffer.from(WebhookResponse.encode(response).finish()),
    (bytes) => WebhookRequest.decode(bytes),
    metadata,
  );
  const ended = Promise.withResolvers<CallEnd>();
  const accepted = Promise.withResolvers<void>();
  const consumer: Consumer = {
    received: [],
    answer: () => 'ok',
    delayMs: 0,
    ended: ended.promise,
    read: (on) => void (on ? stream.resume() : stream.pause()),
    kill() {
      stream.cancel();
      client.close();
    },
  };
  let answering = Promise.resolve();
  const answer = (response: WebhookResponse): void => {
    const { delayMs } = consumer;
    if (delayMs === 0) stream.write(response);
    else answering = answering.then(() => delay(delayMs)).then(() => void (stream.writable && stream.write(response)));
  };
  stream.on('data', (event: WebhookRequest) => {
    consumer.received.push(event);
    const status = consumer.answer(event);
    if (status !== undefined) answer({ uuid: event.uuid, status, message: '' });
  });
  // The status follows.
  stream.on('error', () => undefined);
  stream.on('metadata', () => accepted.resolve());
  stream.on('status', ({ code, details }: CallEnd) => {
    accepted.resolve();
    ended.resolve({ code, details });
    client.close();
  });
  await accepted.promise;
  return consumer;
}

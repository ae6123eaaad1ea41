import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { ConnectionInjector, ServerDuplexStream } from '@grpc/grpc-js';
import { EventStreamDefinition, WebhookResponse } from '@tidings/rpc';
import { isFlood } from '@tidings/http2';
import type { Logger } from '@tidings/runtime';
import type { OutgoingEvent } from '../events/outgoing-event.ts';
import { type DialledCall, dialledCall } from './dialled-call.ts';

export interface EventsLimits {
  readonly connections: number;
  readonly calls: number;
  readonly idleMs: number;
  readonly pingMs: number;
  readonly pongMs: number;
  readonly answerBytes: number;
}

export const eventsLimits: EventsLimits = {
  connections: 1_000,
  calls: 100,
  idleMs: 60_000,
  pingMs: 20_000,
  pongMs: 10_000,
  answerBytes: 64 * 1024,
};
const DRAIN_MS = 1_000;

export interface EventsServerOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Logger;
  readonly flooded: () => void;
  readonly limits?: EventsLimits;
  readonly serve: (call: DialledCall) => void;
}

export interface EventsServer {
  readonly port: number;
  close(): Promise<void>;
}

interface Loaded {
  readonly injector: ConnectionInjector;
  readonly shutdown: () => void;
}

const { fullName, methods } = EventStreamDefinition;

/** gRPC cannot limit metadata, but Node's HTTP/2 does: 128 headers, 64 KiB each, 8 continuation frames. */
async function load(serve: EventsServerOptions['serve'], limits: EventsLimits): Promise<Loaded> {
  const { default: grpc } = await import('@grpc/grpc-js');
  const { Metadata, Server, ServerCredentials } = grpc;
  const server = new Server({
    'grpc.max_receive_message_length': limits.answerBytes,
    'grpc.max_concurrent_streams': limits.calls,
    'grpc.max_connection_idle_ms': limits.idleMs,
    'grpc.keepalive_time_ms': limits.pingMs,
    'grpc.keepalive_timeout_ms': limits.pongMs,
    'grpc.enable_channelz': 0,
  });
  server.register(
    `/${fullName}/${methods.subscribe.name}`,
    (call: ServerDuplexStream<WebhookResponse, OutgoingEvent>) =>
      serve(dialledCall(call, () => call.sendMetadata(new Metadata()))),
    ({ bytes }: OutgoingEvent) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    (bytes) => WebhookResponse.decode(bytes),
    'bidi',
  );
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  return { injector, shutdown: () => server.forceShutdown() };
}

/** Loads gRPC with the first connection. */
export async function openEventsServer({
  host,
  port,
  log,
  flooded,
  serve,
  limits = eventsLimits,
}: EventsServerOptions): Promise<EventsServer> {
  const sockets = new Set<Socket>();
  let loading: Promise<Loaded> | undefined;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', (error) => {
      if (isFlood(error)) flooded();
    });
    loading ??= load(serve, limits);
    loading.then(
      ({ injector }) => injector.injectConnection(socket),
      (error: unknown) => {
        log.error({ err: error }, 'the event streams cannot be served');
        socket.destroy();
      },
    );
  });
  server.maxConnections = limits.connections;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      const loaded = await loading?.catch(() => undefined);
      loaded?.injector.drain(DRAIN_MS);
      const late = setTimeout(() => sockets.forEach((socket) => socket.destroy()), loaded ? DRAIN_MS : 0);
      await closed;
      clearTimeout(late);
      loaded?.shutdown();
    },
  };
}

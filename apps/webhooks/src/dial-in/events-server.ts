import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { ConnectionInjector, ServerDuplexStream } from '@grpc/grpc-js';
import { EventStreamDefinition, WebhookResponse } from '@tidings/rpc';
import { isFlood } from '@tidings/http2';
import type { Logger } from '@tidings/runtime';
import type { OutgoingEvent } from '../events/outgoing-event.ts';
import { type DialledCall, dialledCall } from './dialled-call.ts';

/** Limits on callers. Times are milliseconds. */
export interface EventsLimits {
  /** Connections of one process; further ones are closed at once. */
  readonly connections: number;
  /** Calls on one connection. */
  readonly calls: number;
  /** A connection without a call ends after this time. */
  readonly idleMs: number;
  /** A consumer that answers no ping within these times is gone, so that its machine may vanish silently. */
  readonly pingMs: number;
  readonly pongMs: number;
  /** Maximum size of an answer. */
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
/** Time for the last bytes of ended calls. */
const DRAIN_MS = 1_000;

export interface EventsServerOptions {
  readonly host: string;
  /** 0 = a free one. */
  readonly port: number;
  readonly log: Logger;
  /** Called for each connection that is closed because its peer sends and does not read. */
  readonly flooded: () => void;
  /** @default eventsLimits */
  readonly limits?: EventsLimits;
  /** Serves a call, and ends it. */
  readonly serve: (call: DialledCall) => void;
}

export interface EventsServer {
  readonly port: number;
  /** Refuses new connections, and ends the others. */
  close(): Promise<void>;
}

/** The parts of gRPC that serve a connection. */
interface Loaded {
  readonly injector: ConnectionInjector;
  readonly shutdown: () => void;
}

const { fullName, methods } = EventStreamDefinition;

/**
 * gRPC has no setting for the size of metadata that its server reads. HTTP/2 of Node bounds it: a call with more than 128 headers is refused, and a connection
 * is closed for a header of more than 64 KiB, or for headers that need more than 8 continuation frames of 16 KiB.
 */
async function load(serve: EventsServerOptions['serve'], limits: EventsLimits): Promise<Loaded> {
  const { Metadata, Server, ServerCredentials } = await import('@grpc/grpc-js');
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

/** Serves `tidings.events.v1.EventStream` (R-EV7). The first connection loads gRPC: most deployments have none. */
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
    // The call that it carries reports other errors.
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

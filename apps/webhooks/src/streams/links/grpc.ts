import { isIP } from 'node:net';
import { rootCertificates } from 'node:tls';
import type { ChannelOptions, ClientDuplexStream } from '@grpc/grpc-js';
import { needsProxy, tunnelTo } from '@tidings/http2';
import { WebhookRequest, WebhookResponse } from '@tidings/rpc';
import type { AddressGuard, OutboundProxy } from '@tidings/runtime';
import type { GrpcEndpoint } from '../../subscriptions/endpoint.ts';
import { ANSWER_MS } from '../unacked.ts';
import { type Link, type LinkDeps, type LinkListener, type OpenLink, reportAnswer } from './link-port.ts';

/** Timeout for connecting to a subscriber. */
const REACH_MS = 5_000;
/** Maximum events in memory that the connection has not taken yet. */
const MAX_BUFFERED = 200;
/** Maximum size of an answer. */
const MAX_ANSWER_BYTES = 64 * 1024;

type EventStream = ClientDuplexStream<WebhookRequest, WebhookResponse>;

const options = ({ host, port, tls }: GrpcEndpoint): ChannelOptions => ({
  'grpc.default_authority': `${host.includes(':') ? `[${host}]` : host}:${port}`,
  // The certificate must match the host name; a literal address is verified as itself.
  ...(tls && isIP(host) === 0 ? { 'grpc.ssl_target_name_override': host } : {}),
  'grpc.max_receive_message_length': MAX_ANSWER_BYTES,
  // The stream itself decides on retries; neither a service config nor a proxy of grpc-js's own variables may redirect it.
  'grpc.enable_retries': 0,
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_channelz': 0,
});

type Address = Awaited<ReturnType<AddressGuard['resolve']>>[number];

/** A target of grpc-js, and the options that lead to it. */
interface Route {
  readonly target: string;
  readonly options: ChannelOptions;
}

/** In the form of URLs. */
const hostAndPort = (host: string, port: number): string =>
  isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;

/** The addresses of a target must belong to one family. */
function direct(addresses: readonly Address[], port: number): Route {
  const { family } = addresses[0]!;
  const targets = addresses.filter((one) => one.family === family).map(({ address }) => hostAndPort(address, port));
  return { target: `ipv${family}:${targets.join(',')}`, options: {} };
}

function by(proxy: OutboundProxy, destination: string): Route {
  const credentials = proxy.credentials();
  const scheme = isIP(proxy.host) === 0 ? 'dns' : `ipv${isIP(proxy.host)}`;
  return {
    target: `${scheme}:${hostAndPort(proxy.host, proxy.port)}`,
    options: {
      'grpc.http_connect_target': `ipv4:${destination}`,
      ...(credentials === undefined ? {} : { 'grpc.http_connect_creds': credentials }),
    },
  };
}

/**
 * The way to a checked address of the subscriber. The CONNECT of grpc-js has no time limit, tells no reason and writes addresses of IPv6 in a wrong form:
 * a tunnel is tried first, to one of IPv4.
 */
async function routeTo(endpoint: GrpcEndpoint, { guard, proxy }: LinkDeps, signal: AbortSignal): Promise<Route> {
  const { host, port, tls } = endpoint;
  const addresses = await guard.resolve(host);
  if (!tls || !needsProxy({ url: `https://${hostAndPort(host, port)}` }, proxy)) return direct(addresses, port);
  const served = addresses.filter(({ address }) => proxy.serves(address, port));
  if (served.length === 0) return direct(addresses, port);
  const one = served.find(({ family }) => family === 4);
  if (!one) throw new Error(`${host} has no address of IPv4, which streams through a proxy need`);
  const destination = hostAndPort(one.address, port);
  const tunnel = await tunnelTo({ url: `https://${destination}` }, proxy, signal);
  tunnel?.destroy();
  return by(proxy, destination);
}

/**
 * Opens a stream to a subscriber: resolves the name, checks the addresses and connects to the checked ones. The first call loads gRPC.
 * @throws the reason why the subscriber cannot be reached, within 5 s, or 10 s by a proxy
 */
export const openGrpcLink: OpenLink<GrpcEndpoint> = async ({ endpoint, listener, signal }, deps) => {
  const { extraCa } = deps;
  const { Client, credentials } = await import('@grpc/grpc-js');
  const route = await routeTo(endpoint, deps, signal);
  const roots = extraCa === undefined ? null : Buffer.from([...rootCertificates, extraCa].join('\n'));
  const client = new Client(route.target, endpoint.tls ? credentials.createSsl(roots) : credentials.createInsecure(), {
    ...options(endpoint),
    ...route.options,
  });
  const opening = Promise.withResolvers<void>();
  let isOpen = false;
  const stream = client.makeBidiStreamRequest<WebhookRequest, WebhookResponse>(
    endpoint.method,
    (event) => Buffer.from(WebhookRequest.encode(event).finish()),
    (bytes) => WebhookResponse.decode(bytes),
  );
  const broken = (error: Error): void => (isOpen ? listener.broken(error) : opening.reject(error));
  const link = linkOf(stream, { ...listener, broken }, () => client.close());
  const abort = (): void => opening.reject(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  // The stream reports a failed connection at once, with its reason; only the client reports a successful one.
  client.waitForReady(Date.now() + REACH_MS, (error) => (error ? opening.reject(error) : opening.resolve()));
  try {
    await opening.promise;
    isOpen = true;
    return link;
  } catch (error) {
    link.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

function linkOf(stream: EventStream, listener: LinkListener, closeClient: () => void): Link {
  let isOpen = true;
  let isWritable = true;
  const over = (): boolean => {
    const wasOpen = isOpen;
    isOpen = false;
    if (wasOpen) closeClient();
    return wasOpen;
  };
  stream.on('data', (response: WebhookResponse) => {
    if (isOpen) reportAnswer(listener, response);
  });
  stream.on('drain', () => {
    isWritable = true;
    if (isOpen) listener.drained();
  });
  stream.on('error', (error) => {
    if (over()) listener.broken(error);
  });
  stream.on('end', () => {
    if (over()) listener.broken(new Error('the subscriber has ended the stream'));
  });
  return {
    answerMs: ANSWER_MS,
    get isWritable() {
      return isOpen && isWritable;
    },
    send(event) {
      // The stream's own high-water mark of 16 would cost a turn of the event loop for every 16 events.
      if (isOpen) isWritable = stream.write(event) || stream.writableLength < MAX_BUFFERED;
    },
    close() {
      if (over()) stream.cancel();
    },
  };
}

import { isIP } from 'node:net';
import { rootCertificates } from 'node:tls';
import type { ChannelOptions, ClientDuplexStream } from '@grpc/grpc-js';
import { WebhookRequest, WebhookResponse } from '@tidings/rpc';
import type { GrpcEndpoint } from '../../subscriptions/endpoint.ts';
import { ANSWER_MS } from '../unacked.ts';
import { type Link, type LinkListener, type OpenLink, reportAnswer } from './link-port.ts';

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
  // The stream itself decides on retries; no service config or proxy may redirect it.
  'grpc.enable_retries': 0,
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_channelz': 0,
});

/**
 * Opens a stream to a subscriber: resolves the name, checks the addresses and connects to the checked ones. The first call loads gRPC.
 * @throws the reason why the subscriber cannot be reached, within 5 s
 */
export const openGrpcLink: OpenLink<GrpcEndpoint> = async ({ endpoint, listener, signal }, { guard, extraCa }) => {
  const { Client, credentials } = await import('@grpc/grpc-js');
  const addresses = await guard.resolve(endpoint.host);
  // The addresses of a target must belong to one family.
  const { family } = addresses[0]!;
  const targets = addresses
    .filter((one) => one.family === family)
    .map(({ address }) => (family === 6 ? `[${address}]:${endpoint.port}` : `${address}:${endpoint.port}`));
  const roots = extraCa === undefined ? null : Buffer.from([...rootCertificates, extraCa].join('\n'));
  const client = new Client(
    `ipv${family}:${targets.join(',')}`,
    endpoint.tls ? credentials.createSsl(roots) : credentials.createInsecure(),
    options(endpoint),
  );
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

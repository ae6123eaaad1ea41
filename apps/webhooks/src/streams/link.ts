import { isIP } from 'node:net';
import { rootCertificates } from 'node:tls';
import type { ChannelOptions, ClientDuplexStream } from '@grpc/grpc-js';
import { WebhookResponse } from '@tidings/rpc';
import type { AddressGuard } from '@tidings/runtime';
import type { Endpoint } from '../subscriptions/endpoint.ts';

/** How long a subscriber may take to be reached. */
const REACH_MS = 5_000;
/** Events in memory that the connection has not taken yet. */
const MAX_BUFFERED = 200;
/** Answers are short. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** A stream to a subscriber. */
export interface Link {
  /** Writes an encoded event, in order; false when more should wait for `drained`. */
  send(bytes: Buffer): boolean;
  /** Ends the stream; nothing is heard of it any more. */
  close(): void;
}

export interface LinkListener {
  answered(response: WebhookResponse): void;
  drained(): void;
  /** Called once: the stream is over. */
  broken(error: Error): void;
}

export interface LinkOptions {
  /** Says which addresses may be connected to. */
  readonly guard: AddressGuard;
  /** PEM text of further authorities. */
  readonly extraCa?: string | undefined;
}

const options = ({ host, port, tls }: Endpoint): ChannelOptions => ({
  'grpc.default_authority': `${host.includes(':') ? `[${host}]` : host}:${port}`,
  // The certificate is the name's; an address without a name stands for itself.
  ...(tls && isIP(host) === 0 ? { 'grpc.ssl_target_name_override': host } : {}),
  'grpc.max_receive_message_length': MAX_ANSWER_BYTES,
  // What is repeated, and when, is decided here; and nobody else says where the addresses lead.
  'grpc.enable_retries': 0,
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_channelz': 0,
});

/**
 * Opens a stream to a subscriber: its name is resolved and checked, and what was checked is connected to. gRPC is loaded with the first one.
 * @throws what keeps the subscriber from being reached, within 5 s.
 */
export async function openLink(
  endpoint: Endpoint,
  { guard, extraCa }: LinkOptions,
  listener: LinkListener,
  signal: AbortSignal,
): Promise<Link> {
  const { Client, credentials } = await import('@grpc/grpc-js');
  const addresses = await guard.resolve(endpoint.host);
  // A target has addresses of one family.
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
  const stream = client.makeBidiStreamRequest<Buffer, WebhookResponse>(
    endpoint.method,
    (bytes) => bytes,
    (bytes) => WebhookResponse.decode(bytes),
  );
  const broken = (error: Error): void => (isOpen ? listener.broken(error) : opening.reject(error));
  const link = linkOf(stream, { ...listener, broken }, () => client.close());
  const abort = (): void => opening.reject(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  // The stream fails as soon as the connection does, and says why; that it is there, only the client says.
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
}

function linkOf(
  stream: ClientDuplexStream<Buffer, WebhookResponse>,
  listener: LinkListener,
  closeClient: () => void,
): Link {
  let isOpen = true;
  const over = (): boolean => {
    const wasOpen = isOpen;
    isOpen = false;
    if (wasOpen) closeClient();
    return wasOpen;
  };
  stream.on('data', (response: WebhookResponse) => {
    if (isOpen) listener.answered(response);
  });
  stream.on('drain', () => {
    if (isOpen) listener.drained();
  });
  stream.on('error', (error) => {
    if (over()) listener.broken(error);
  });
  stream.on('end', () => {
    if (over()) listener.broken(new Error('the subscriber has ended the stream'));
  });
  return {
    send(bytes) {
      if (!isOpen) return false;
      // The stream's own mark is at 16, which would cost a turn of the event loop for each 16 events.
      return stream.write(bytes) || stream.writableLength < MAX_BUFFERED;
    },
    close() {
      if (over()) stream.cancel();
    },
  };
}

import { Fault } from '@tidings/kernel';

/** A subscriber that serves a gRPC stream. */
export interface GrpcEndpoint {
  readonly kind: 'grpc';
  /** A name or a literal address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Whether to connect over TLS. */
  readonly tls: boolean;
  /** Path of the method, e.g. `/WebhookService/StreamWebhookEvents`. */
  readonly method: string;
}

/** A subscriber that takes events by POST. */
export interface HttpEndpoint {
  readonly kind: 'http';
  /** A name or a literal address, without brackets. */
  readonly host: string;
  /** Scheme, host and port, e.g. `https://events.example:8443`. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
}

/** A topic of the subscriber's own in the deployment's Kafka. */
export interface KafkaEndpoint {
  readonly kind: 'kafka';
  readonly topic: string;
}

/** A subscriber that connects to Tidings (R-EV7). */
export interface DialInEndpoint {
  readonly kind: 'dial-in';
}

/** The destination of a subscription's events (R-EV1). */
export type Endpoint = GrpcEndpoint | HttpEndpoint | KafkaEndpoint | DialInEndpoint;

/** The text that a subscription without an endpoint stores. */
export const NO_ENDPOINT = '';

const DEFAULT_METHOD = '/WebhookService/StreamWebhookEvents';
const defaultPorts: Readonly<Record<string, number>> = { 'grpc:': 80, 'grpcs:': 443 };

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

const hasExtras = ({ username, password, hash }: URL): boolean => username !== '' || password !== '' || hash !== '';

function grpcEndpoint(url: URL): GrpcEndpoint {
  const method = url.pathname === '' || url.pathname === '/' ? DEFAULT_METHOD : url.pathname;
  if (hasExtras(url) || url.search !== '' || !/^\/[\w.]+\/\w+$/.test(method)) {
    throw Fault.argument('endpoint: must be a host and a port, optionally followed by /Service/Method');
  }
  const port = url.port === '' ? defaultPorts[url.protocol]! : Number(url.port);
  return { kind: 'grpc', host: hostOf(url), port, tls: url.protocol === 'grpcs:', method };
}

function httpEndpoint(url: URL): HttpEndpoint {
  if (hasExtras(url)) throw Fault.argument('endpoint: must not contain a user name, a password or a fragment');
  return { kind: 'http', host: hostOf(url), origin: url.origin, path: `${url.pathname}${url.search}` };
}

/** Kafka allows 249 characters, of which the namespace of the deployment may be 100. */
const TOPIC_MAX = 149;

/** Topics of Tidings, in any namespace, and of Kafka itself are nobody's own. */
function kafkaEndpoint(topic: string): KafkaEndpoint {
  if (!/^[\w.-]+$/.test(topic) || /^\.{1,2}$/.test(topic) || topic.length > TOPIC_MAX) {
    throw Fault.argument(
      `endpoint: must be kafka:// and a topic of at most ${TOPIC_MAX} letters, digits, ".", "_" or "-"`,
    );
  }
  if (/(^|[._-])tidings\.|^__/i.test(topic)) throw Fault.argument('endpoint: must be a topic of your own');
  return { kind: 'kafka', topic };
}

const KAFKA = 'kafka://';

const unknownScheme = (): Fault =>
  Fault.argument('endpoint: must be an address that begins with grpc://, grpcs://, http://, https:// or kafka://');

/**
 * Parses `grpc://host:port` or `grpcs://host:port`, where a path replaces the specified method; an address of HTTP; or `kafka://topic`. "" is a
 * subscriber that dials in (R-EV1).
 * @throws Fault `argument` for any other text
 */
export function parseEndpoint(text: string): Endpoint {
  if (text === NO_ENDPOINT) return { kind: 'dial-in' };
  if (text.slice(0, KAFKA.length).toLowerCase() === KAFKA) return kafkaEndpoint(text.slice(KAFKA.length));
  const url = URL.parse(text);
  if (!url || url.hostname === '') throw unknownScheme();
  switch (url.protocol) {
    case 'grpc:':
    case 'grpcs:':
      return grpcEndpoint(url);
    case 'http:':
    case 'https:':
      return httpEndpoint(url);
    default:
      throw unknownScheme();
  }
}

/** An endpoint for logs: the query may name a secret of the subscriber. */
export const withoutQuery = (text: string): string => text.replace(/\?.*/s, '');

/** Whether the events to an endpoint are signed with a secret of the subscription. */
export const isSigned = (text: string): boolean => parseEndpoint(text).kind === 'http';

/** The host that is connected to for a caller; undefined if the caller does not choose it. */
export const hostChosenBy = (endpoint: Endpoint): string | undefined =>
  'host' in endpoint ? endpoint.host : undefined;

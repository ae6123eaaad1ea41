import { Fault } from '@tidings/kernel';

export interface GrpcEndpoint {
  readonly kind: 'grpc';
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly method: string;
}

export interface HttpEndpoint {
  readonly kind: 'http';
  readonly host: string;
  readonly origin: string;
  readonly path: string;
}

export interface KafkaEndpoint {
  readonly kind: 'kafka';
  readonly topic: string;
}

export interface DialInEndpoint {
  readonly kind: 'dial-in';
}

export type Endpoint = GrpcEndpoint | HttpEndpoint | KafkaEndpoint | DialInEndpoint;

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

/** Kafka allows 249, the namespace may take 100. */
const TOPIC_MAX = 149;

/** Subscribers must not use topics of Tidings or of Kafka itself. */
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

/** A path of `grpc(s)://` replaces the specified method; "" dials in (R-EV1). */
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

export const hasFormats = (text: string): boolean => ['http', 'kafka'].includes(parseEndpoint(text).kind);

/** The query may contain a secret. */
export const withoutQuery = (text: string): string => text.replace(/\?.*/s, '');

export const isSigned = (text: string): boolean => parseEndpoint(text).kind === 'http';

export const hostChosenBy = (endpoint: Endpoint): string | undefined =>
  'host' in endpoint ? endpoint.host : undefined;

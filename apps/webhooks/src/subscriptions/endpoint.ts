import { Fault } from '@tidings/kernel';

/** The address of a subscriber's stream. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** Whether to connect over TLS. */
  readonly tls: boolean;
  /** Path of the method, e.g. `/WebhookService/StreamWebhookEvents`. */
  readonly method: string;
}

const DEFAULT_METHOD = '/WebhookService/StreamWebhookEvents';
const ports = { 'grpc:': 80, 'grpcs:': 443 } as const;

const isScheme = (protocol: string): protocol is keyof typeof ports => Object.hasOwn(ports, protocol);

/**
 * Parses `grpc://host:port` or `grpcs://host:port`; a path replaces the specified method (R-EV1).
 * @throws Fault `argument` for any other text
 */
export function parseEndpoint(text: string): Endpoint {
  const url = URL.parse(text);
  if (!url || !isScheme(url.protocol) || url.hostname === '') {
    throw Fault.argument('endpoint: must be an address that begins with grpc:// or grpcs://');
  }
  const isBare = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  const method = url.pathname === '' || url.pathname === '/' ? DEFAULT_METHOD : url.pathname;
  if (!isBare || !/^\/[\w.]+\/\w+$/.test(method)) {
    throw Fault.argument('endpoint: must be a host and a port, optionally followed by /Service/Method');
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? ports[url.protocol] : Number(url.port),
    tls: url.protocol === 'grpcs:',
    method,
  };
}

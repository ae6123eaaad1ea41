import { Fault } from '@tidings/kernel';
import { certificateFault } from '@tidings/runtime';

export type ConnectionFailure =
  | 'dns_failed'
  | 'connection_refused'
  | 'private_address'
  | 'certificate_expired'
  | 'certificate_untrusted'
  | 'certificate_host'
  | 'no_http2'
  | 'proxy_failed'
  | 'flooded'
  | 'unreachable';

export interface FailedOpening {
  readonly cause: ConnectionFailure;
  readonly message: string;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

const NO_HTTP2 = 'ERR_NO_HTTP2';
const MESSAGE_LENGTH = 300;

export const noHttp2 = (message: string): Error => Object.assign(new Error(message), { code: NO_HTTP2 });

const PROXY_FAILED = 'ERR_PROXY_FAILED';

/** The message must not contain credentials. */
export const proxyFailed = (message: string): Error => Object.assign(new Error(message), { code: PROXY_FAILED });

const FLOODED = 'ERR_FLOODED';

export const flooded = (message: string): Error => Object.assign(new Error(message), { code: FLOODED });

const NGHTTP2_FLOODS: ReadonlySet<number | undefined> = new Set([-904, -537, -905]);

export const isFlood = (error: unknown): boolean => {
  const { code, errno } = (error ?? {}) as NodeJS.ErrnoException;
  return code === FLOODED || (code === 'ERR_HTTP2_ERROR' && NGHTTP2_FLOODS.has(errno));
};

const causes: ReadonlyMap<string, ConnectionFailure> = new Map<string, ConnectionFailure>([
  ['ENOTFOUND', 'dns_failed'],
  ['ECONNREFUSED', 'connection_refused'],
  [NO_HTTP2, 'no_http2'],
  [PROXY_FAILED, 'proxy_failed'],
  // The provider's alert; its name differs between OpenSSL versions.
  ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'no_http2'],
  ['ERR_SSL_TLS_ALERT_NO_APPLICATION_PROTOCOL', 'no_http2'],
  ['ERR_SSL_NO_APPLICATION_PROTOCOL', 'no_http2'],
  ['ERR_HTTP2_ERROR', 'no_http2'],
]);

export function connectionFailureOf(error: Error | undefined): ConnectionFailure {
  if (!error) return 'unreachable';
  if (isFlood(error)) return 'flooded';
  const several = severalOf(error);
  if (several) return several.map(connectionFailureOf).find((cause) => cause !== 'unreachable') ?? 'unreachable';
  if (error instanceof Fault && error.kind === 'forbidden') return 'private_address';
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'getaddrinfo') return 'dns_failed';
  const fault = certificateFault(String(code));
  return fault ? `certificate_${fault}` : (causes.get(String(code)) ?? 'unreachable');
}

export function failedOpening(error: Error | undefined, at: number): FailedOpening {
  const message = messageOf(error).slice(0, MESSAGE_LENGTH);
  return { cause: connectionFailureOf(error), message, at };
}

function messageOf(error: Error | undefined): string {
  if (!error) return 'closed by the provider before it served a request';
  if (error.message !== '') return error.message;
  const several = severalOf(error) ?? [];
  return several.map(({ message }) => message).join('; ');
}

function severalOf(error: Error): readonly Error[] | undefined {
  const { errors } = error as Partial<AggregateError>;
  return Array.isArray(errors) ? errors : undefined;
}

import { Fault } from '@tidings/kernel';
import { certificateFault } from '@tidings/runtime';

/** The cause of a failed connection, normalised over systems and TLS versions. */
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

/** A connection that did not open, or closed before the provider served a request. */
export interface FailedOpening {
  readonly cause: ConnectionFailure;
  /** The text of the system or of TLS, truncated to 300 characters. Contains no secret. */
  readonly message: string;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

const NO_HTTP2 = 'ERR_NO_HTTP2';
const MESSAGE_LENGTH = 300;

/** The provider answers, but not by HTTP/2. */
export const noHttp2 = (message: string): Error => Object.assign(new Error(message), { code: NO_HTTP2 });

const PROXY_FAILED = 'ERR_PROXY_FAILED';

/** The proxy of the network could not be reached, or did not open a tunnel. @param message without credentials, and without the proxy's own text */
export const proxyFailed = (message: string): Error => Object.assign(new Error(message), { code: PROXY_FAILED });

const FLOODED = 'ERR_FLOODED';

/** The peer sends without end, or what it does not let this side answer. */
export const flooded = (message: string): Error => Object.assign(new Error(message), { code: FLOODED });

/** Numbers of nghttp2's errors: too many unread answers, settings in a frame, and continuations. */
const NGHTTP2_FLOODS: ReadonlySet<number | undefined> = new Set([-904, -537, -905]);

/** Whether a connection was closed because of {@link flooded}, or by node:http2 for the same reason. */
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
  // node:http2 could not parse the input.
  ['ERR_HTTP2_ERROR', 'no_http2'],
]);

/**
 * The cause of a failed connection by the error that ended it; `unreachable` without one. If several addresses were tried, the first more specific
 * cause is used.
 */
export function connectionFailureOf(error: Error | undefined): ConnectionFailure {
  if (!error) return 'unreachable';
  if (isFlood(error)) return 'flooded';
  const several = severalOf(error);
  if (several) return several.map(connectionFailureOf).find((cause) => cause !== 'unreachable') ?? 'unreachable';
  // The look-up found no address that is allowed.
  if (error instanceof Fault && error.kind === 'forbidden') return 'private_address';
  const { code, syscall } = error as NodeJS.ErrnoException;
  // EAI_AGAIN and similar: DNS failed.
  if (syscall === 'getaddrinfo') return 'dns_failed';
  const fault = certificateFault(String(code));
  return fault ? `certificate_${fault}` : (causes.get(String(code)) ?? 'unreachable');
}

/** @param error undefined if the provider closed the connection without an error */
export function failedOpening(error: Error | undefined, at: number): FailedOpening {
  const message = messageOf(error).slice(0, MESSAGE_LENGTH);
  return { cause: connectionFailureOf(error), message, at };
}

function messageOf(error: Error | undefined): string {
  if (!error) return 'closed by the provider before it served a request';
  // The error of several addresses has no text.
  if (error.message !== '') return error.message;
  const several = severalOf(error) ?? [];
  return several.map(({ message }) => message).join('; ');
}

/** The errors of an AggregateError, which net throws if every address of a name failed. */
function severalOf(error: Error): readonly Error[] | undefined {
  const { errors } = error as Partial<AggregateError>;
  return Array.isArray(errors) ? errors : undefined;
}

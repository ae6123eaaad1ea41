/** Categories of STAGE_ERRORS that a send can end in (Spec H). */
export type ErrorCategory =
  | 'NO_TOKEN'
  | 'NO_DEVICE'
  | 'PLATFORM_DISABLED'
  | 'INVALID_TOKEN'
  | 'INVALID_CONTENT'
  | 'INVALID_CONFIGURATION'
  | 'QUOTA_EXCEEDED'
  | 'PROVIDER_ERROR'
  | 'INTERNAL_ERROR'
  | 'UNCLASSIFIED_ERROR';

/**
 * Whom a retried answer holds back: `asked` = every device of the credential for as long as `Retry-After` says, and the device alone where
 * it says nothing; `device` = that device alone, whatever the header says; `credential` = every device of the credential in any case.
 */
export type Throttles = 'asked' | 'device' | 'credential';

/** What follows from an answer (R-P1): the device is done with, or is tried again. */
export type Then =
  | { readonly do: 'sent' }
  | { readonly do: 'final' }
  /** Final, and the push token is taken off the device (R-P2). */
  | { readonly do: 'invalidate' }
  /** Tried again after a wait of at least `firstWaitMs`, on a new connection if `reconnect`. */
  | { readonly do: 'retry'; readonly firstWaitMs: number; readonly reconnect: boolean; readonly throttles: Throttles }
  /** Repeated once, at once, with a new provider token or access token; final if that fails too. */
  | { readonly do: 'once' };

/** What an answer means for the device. Equal answers share one value, so a slice holds a reference per device. */
export interface SendResult {
  readonly category: ErrorCategory | 'SENT';
  /** The provider's code, "0" for local causes. */
  readonly code: string;
  /** The provider's reason, or the name of a local cause. */
  readonly name: string;
  readonly then: Then;
}

/** What a provider's answer other than 200 means. */
export interface Refusal {
  readonly result: SendResult;
  /** Since when the token is dead, milliseconds, where the provider says so: a token registered later is left alone (R-P2). */
  readonly since?: number | undefined;
}

export const final: Then = { do: 'final' };
export const invalidate: Then = { do: 'invalidate' };
export const once: Then = { do: 'once' };
export const retry = (firstWaitMs = 0, throttles: Throttles = 'asked'): Then => ({
  do: 'retry',
  firstWaitMs,
  reconnect: false,
  throttles,
});
export const retryElsewhere: Then = { do: 'retry', firstWaitMs: 0, reconnect: true, throttles: 'asked' };

export const sent: SendResult = { category: 'SENT', code: '', name: '', then: { do: 'sent' } };

const local = (category: ErrorCategory, name: string, then: Then = final): SendResult => ({
  category,
  code: '0',
  name,
  then,
});

/** Causes that no provider named (R-P1, R-P3). */
export const localResults = {
  noToken: local('NO_TOKEN', 'no_token'),
  noDevice: local('NO_DEVICE', 'no_device'),
  /** The token, or the values of the message's tags, are longer than a batch carries. */
  tokenTooLong: local('INVALID_TOKEN', 'token_too_long'),
  valuesTooLong: local('INVALID_CONTENT', 'values_too_long'),
  payloadTooLarge: local('INVALID_CONTENT', 'payload_too_large'),
  notConfigured: local('INVALID_CONFIGURATION', 'not_configured'),
  unusableKey: local('INVALID_CONFIGURATION', 'unusable_key'),
  accessRefused: local('INVALID_CONFIGURATION', 'access_refused'),
  applicationDeleted: local('INTERNAL_ERROR', 'application_deleted'),
  unknownOutcome: local('INTERNAL_ERROR', 'unknown_outcome'),
  internalError: local('INTERNAL_ERROR', 'internal_error'),
  connectionLost: local('PROVIDER_ERROR', 'connection_lost', retry()),
  timeout: local('PROVIDER_ERROR', 'timeout', retry()),
  /** Nothing was written to the provider until the retries ended. */
  unreachable: local('PROVIDER_ERROR', 'unreachable'),
  /** The credential stayed throttled until the device's time was over. */
  throttled: local('QUOTA_EXCEEDED', 'throttled'),
} as const;

/** What devices end with when no connection came about until the retries ended, by the last cause (R-P1). */
export const connectionResults = {
  dns_failed: local('PROVIDER_ERROR', 'dns_failed'),
  connection_refused: local('PROVIDER_ERROR', 'connection_refused'),
  certificate_expired: local('PROVIDER_ERROR', 'certificate_expired'),
  certificate_untrusted: local('PROVIDER_ERROR', 'certificate_untrusted'),
  certificate_host: local('PROVIDER_ERROR', 'certificate_host'),
  no_http2: local('PROVIDER_ERROR', 'no_http2'),
  unreachable: localResults.unreachable,
} as const satisfies Readonly<Record<string, SendResult>>;

/** Replies that no table lists (R-P3): 5xx and 429 are retried, the rest is final. */
export function unlisted(status: number, name: string): SendResult {
  const code = String(status);
  if (status === 429) return { category: 'QUOTA_EXCEEDED', code, name, then: retry() };
  if (status >= 500) return { category: 'PROVIDER_ERROR', code, name, then: retry() };
  return { category: 'UNCLASSIFIED_ERROR', code, name, then: final };
}

const NAMES_MAX = 1000;
const NAME_LENGTH = 100;

/**
 * Remembers the result of each (status, name), so that equal answers share one value. What a provider sends as a name is cut to 100
 * characters; beyond 1,000 different ones the name is dropped, so that a strange provider fills neither memory nor statistics.
 */
export function interned(
  make: (status: number, name: string) => SendResult,
): (status: number, name: string) => SendResult {
  const known = new Map<string, SendResult>();
  return (status, name) => {
    const cut = name.slice(0, NAME_LENGTH);
    const key = `${status} ${cut}`;
    const result = known.get(key);
    if (result) return result;
    const full = known.size >= NAMES_MAX;
    const made = make(status, full ? '' : cut);
    if (!full) known.set(key, made);
    return made;
  };
}

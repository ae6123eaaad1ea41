import { isDeepStrictEqual } from 'node:util';
import type { CredentialFaultName } from './credential-faults.ts';
import type { BounceCategory } from './email/bounces.ts';

/** Categories of STAGE_ERRORS that a send can have (Spec H). */
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
 * The devices that a retried answer throttles. `asked`: every device of the credential for the time in `Retry-After`, or only the device without one.
 * `device`: only that device, regardless of the header. `credential`: every device of the credential in any case.
 */
export type Throttles = 'asked' | 'device' | 'credential';

/** The consequence of an answer (R-P1): final, or tried again. */
export type Then =
  | { readonly do: 'sent' }
  | { readonly do: 'final' }
  /** Final, and the push token is removed from the device (R-P2). */
  | { readonly do: 'invalidate' }
  /** Tried again after at least `firstWaitMs`, on a new connection if `reconnect`. */
  | { readonly do: 'retry'; readonly firstWaitMs: number; readonly reconnect: boolean; readonly throttles: Throttles }
  /** Repeated once, at once, with a new provider token or access token; final if that fails, too. */
  | { readonly do: 'once' };

/** The meaning of an answer for the device. Equal answers share one value, so a slice holds a reference per device. */
export interface SendResult {
  readonly category: ErrorCategory | 'SENT';
  /** The provider's code, "0" for local causes. */
  readonly code: string;
  /** The provider's reason, or the name of a local cause. */
  readonly name: string;
  /** Category of the bounce, if the receiving side refused an e-mail, which counts as sent (R-E18). */
  readonly bounce?: BounceCategory | undefined;
  readonly then: Then;
}

/** The meaning of a provider's answer other than 200. */
export interface Refusal {
  readonly result: SendResult;
  /** Time since which the token is dead, in milliseconds, if the provider reports it: a token registered later is kept (R-P2). */
  readonly since?: number | undefined;
  /** The token that the provider has for the device, if it reports it: another one than the push was sent to takes its place (R-P3). */
  readonly replacement?: string | undefined;
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

const credential = (name: CredentialFaultName): SendResult => local('INVALID_CONFIGURATION', name);

/** Local causes (R-P1, R-P3). */
export const localResults = {
  noToken: local('NO_TOKEN', 'no_token'),
  noDevice: local('NO_DEVICE', 'no_device'),
  /** The token, or the values of the message's tags, exceed the limits of a batch. */
  tokenTooLong: local('INVALID_TOKEN', 'token_too_long'),
  valuesTooLong: local('INVALID_CONTENT', 'values_too_long'),
  noContent: local('INVALID_CONTENT', 'no_content'),
  /** The provider sends approved templates only, and the message names none. */
  noTemplate: local('INVALID_CONTENT', 'no_template'),
  payloadTooLarge: local('INVALID_CONTENT', 'payload_too_large'),
  notConfigured: credential('not_configured'),
  keyRequired: credential('key_required'),
  mmsBySmpp: credential('mms_by_smpp'),
  unusableKey: credential('unusable_key'),
  wrongPassword: credential('wrong_password'),
  encryptedKey: credential('encrypted_key'),
  missingKey: credential('missing_key'),
  missingCertificate: credential('missing_certificate'),
  unsupportedKey: credential('unsupported_key'),
  mismatchedKey: credential('mismatched_key'),
  keyFileLimits: credential('key_file_limits'),
  unusableSetting: credential('unusable_setting'),
  serverAddressPrivate: credential('private_address'),
  serverAddressInvalid: credential('invalid_address'),
  accessRefused: credential('access_refused'),
  accessTokenTooLong: credential('access_token_too_long'),
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

/** The results of devices without a connection until the retries ended, by the last cause (R-P1). */
export const connectionResults = {
  dns_failed: local('PROVIDER_ERROR', 'dns_failed'),
  connection_refused: local('PROVIDER_ERROR', 'connection_refused'),
  /** The address of the device leads to a network that callers must not make the service connect to. The token stays: names can change. */
  private_address: local('INVALID_TOKEN', 'private_address'),
  certificate_expired: local('PROVIDER_ERROR', 'certificate_expired'),
  certificate_untrusted: local('PROVIDER_ERROR', 'certificate_untrusted'),
  certificate_host: local('PROVIDER_ERROR', 'certificate_host'),
  no_http2: local('PROVIDER_ERROR', 'no_http2'),
  /** The proxy of the deployment's network. */
  proxy_failed: local('PROVIDER_ERROR', 'proxy_failed'),
  flooded: local('PROVIDER_ERROR', 'flooded'),
  unreachable: localResults.unreachable,
} as const satisfies Readonly<Record<string, SendResult>>;

/** The result of a credential by the name of its fault. */
export const credentialResult = (name: unknown): SendResult =>
  Object.values(localResults).find((each) => each.category === 'INVALID_CONFIGURATION' && each.name === name) ??
  localResults.unusableKey;

/** A code in a provider's reply, which may be text of its digits; undefined for anything else. */
export function codeNumber(code: unknown): number | undefined {
  const number = typeof code === 'string' && /^-?\d+$/.test(code) ? Number(code) : code;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/** Answers without a row (R-P3): 5xx and 429 are retried, others are final. */
export function unlisted(status: number, name: string): SendResult {
  const code = String(status);
  if (status === 429) return { category: 'QUOTA_EXCEEDED', code, name, then: retry() };
  if (status >= 500) return { category: 'PROVIDER_ERROR', code, name, then: retry() };
  return { category: 'UNCLASSIFIED_ERROR', code, name, then: final };
}

const NAMES_MAX = 1000;
const NAME_LENGTH = 100;

/** The caches of all that was interned. */
const caches: Map<string, SendResult>[] = [];

/**
 * Caches the result of each (status, name), so that equal answers share one value. A provider's name is truncated to 100 characters; beyond 1,000
 * different ones a name is dropped unless the category or the consequence rests on it, so that an unknown provider fills neither memory nor statistics.
 */
export function interned(
  make: (status: number, name: string) => SendResult,
): (status: number, name: string) => SendResult {
  const known = new Map<string, SendResult>();
  caches.push(known);
  return (status, name) => {
    const cut = name.slice(0, NAME_LENGTH);
    const key = `${status} ${cut}`;
    const result = known.get(key);
    if (result) return result;
    const made = make(status, cut);
    if (known.size >= NAMES_MAX) {
      const nameless = make(status, '');
      if (isDeepStrictEqual([made.category, made.then], [nameless.category, nameless.then])) return nameless;
    }
    // A result rests only on names from the provider's table.
    known.set(key, made);
    return made;
  };
}

/** Empties the caches: a spec that has filled them leaves them as they were. */
export function forgetNames(): void {
  for (const known of caches) known.clear();
}

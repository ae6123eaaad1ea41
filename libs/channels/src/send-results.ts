import { isDeepStrictEqual } from 'node:util';
import type { CredentialFaultName } from './credential-faults.ts';
import type { BounceCategory } from './email/bounces.ts';

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

/** `asked` throttles every device for the time in `Retry-After`, without one only this device. */
export type Throttles = 'asked' | 'device' | 'credential';

export type Then =
  | { readonly do: 'sent' }
  | { readonly do: 'final' }
  | { readonly do: 'invalidate' }
  | { readonly do: 'retry'; readonly firstWaitMs: number; readonly reconnect: boolean; readonly throttles: Throttles }
  /** The push is repeated once with a new token, then final. */
  | { readonly do: 'once' };

export interface ResultRow {
  readonly category: ErrorCategory;
  readonly then: Then;
}

/** Results are interned: a slice holds a reference per device. */
export interface SendResult {
  readonly category: ErrorCategory | 'SENT';
  /** "0" for local causes. */
  readonly code: string;
  readonly name: string;
  readonly bounce?: BounceCategory | undefined;
  readonly then: Then;
}

export interface Refusal {
  readonly result: SendResult;
  /** Milliseconds; a token registered later is kept (R-P2). */
  readonly since?: number | undefined;
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

export const localResults = {
  noToken: local('NO_TOKEN', 'no_token'),
  noDevice: local('NO_DEVICE', 'no_device'),
  tokenTooLong: local('INVALID_TOKEN', 'token_too_long'),
  valuesTooLong: local('INVALID_CONTENT', 'values_too_long'),
  noContent: local('INVALID_CONTENT', 'no_content'),
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
  stopped: local('INTERNAL_ERROR', 'stopped'),
  unknownOutcome: local('INTERNAL_ERROR', 'unknown_outcome'),
  internalError: local('INTERNAL_ERROR', 'internal_error'),
  connectionLost: local('PROVIDER_ERROR', 'connection_lost', retry()),
  timeout: local('PROVIDER_ERROR', 'timeout', retry()),
  unreachable: local('PROVIDER_ERROR', 'unreachable'),
  throttled: local('QUOTA_EXCEEDED', 'throttled'),
} as const;

export const connectionResults = {
  dns_failed: local('PROVIDER_ERROR', 'dns_failed'),
  connection_refused: local('PROVIDER_ERROR', 'connection_refused'),
  private_address: local('INVALID_TOKEN', 'private_address'),
  certificate_expired: local('PROVIDER_ERROR', 'certificate_expired'),
  certificate_untrusted: local('PROVIDER_ERROR', 'certificate_untrusted'),
  certificate_host: local('PROVIDER_ERROR', 'certificate_host'),
  no_http2: local('PROVIDER_ERROR', 'no_http2'),
  proxy_failed: local('PROVIDER_ERROR', 'proxy_failed'),
  flooded: local('PROVIDER_ERROR', 'flooded'),
  unreachable: localResults.unreachable,
} as const satisfies Readonly<Record<string, SendResult>>;

export const credentialResult = (name: unknown): SendResult =>
  Object.values(localResults).find((each) => each.category === 'INVALID_CONFIGURATION' && each.name === name) ??
  localResults.unusableKey;

export function codeNumber(code: unknown): number | undefined {
  const number = typeof code === 'string' && /^-?\d+$/.test(code) ? Number(code) : code;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

export function unlisted(status: number, name: string): SendResult {
  const code = String(status);
  if (status === 429) return { category: 'QUOTA_EXCEEDED', code, name, then: retry() };
  if (status >= 500) return { category: 'PROVIDER_ERROR', code, name, then: retry() };
  return { category: 'UNCLASSIFIED_ERROR', code, name, then: final };
}

const NAMES_MAX = 1000;
const NAME_LENGTH = 100;

const caches: Map<string, SendResult>[] = [];

/** Its size is bounded, so that an unknown provider fills neither memory nor statistics. */
export function interned(
  make: (status: number, name: string) => SendResult,
): (status: number, name: string) => SendResult {
  const cache = new Map<string, SendResult>();
  caches.push(cache);
  return (status, name) => {
    const cut = name.slice(0, NAME_LENGTH);
    const key = `${status} ${cut}`;
    const result = cache.get(key);
    if (result) return result;
    const created = make(status, cut);
    if (cache.size >= NAMES_MAX) {
      const nameless = make(status, '');
      if (isDeepStrictEqual([created.category, created.then], [nameless.category, nameless.then])) return nameless;
    }
    cache.set(key, created);
    return created;
  };
}

export function clearNames(): void {
  for (const cache of caches) cache.clear();
}

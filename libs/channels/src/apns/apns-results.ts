import {
  type ErrorCategory,
  final,
  interned,
  invalidate,
  once,
  type Refusal,
  retry,
  retryElsewhere,
  type Then,
  unlisted,
  type SendResult,
} from '../send-results.ts';

type Row = readonly [ErrorCategory, Then, readonly string[]];

/** APNs accepts a new token every 20 minutes, and the one in use soon after. */
const TOKEN_UPDATES_WAIT_MS = 60_000;

const rows: readonly Row[] = [
  ['INVALID_TOKEN', invalidate, ['BadDeviceToken', 'Unregistered', 'ExpiredToken']],
  ['INVALID_TOKEN', final, ['DeviceTokenNotForTopic']],
  ['NO_TOKEN', final, ['MissingDeviceToken']],
  [
    'INVALID_CONTENT',
    final,
    [
      ...['BadCollapseId', 'BadExpirationDate', 'BadMessageId', 'BadPriority', 'DuplicateHeaders', 'InvalidPushType'],
      ...['PayloadEmpty', 'PayloadTooLarge'],
    ],
  ],
  [
    'INVALID_CONFIGURATION',
    final,
    [
      ...['BadTopic', 'MissingTopic', 'TopicDisallowed', 'BadCertificate', 'BadCertificateEnvironment', 'Forbidden'],
      ...['InvalidProviderToken', 'MissingProviderToken', 'UnrelatedKeyIdInToken', 'BadEnvironmentKeyIdInToken'],
    ],
  ],
  ['INVALID_CONFIGURATION', once, ['ExpiredProviderToken']],
  ['QUOTA_EXCEEDED', retry(0, 'device'), ['TooManyRequests']],
  ['QUOTA_EXCEEDED', retry(TOKEN_UPDATES_WAIT_MS, 'credential'), ['TooManyProviderTokenUpdates']],
  ['PROVIDER_ERROR', retryElsewhere, ['IdleTimeout', 'InternalServerError', 'ServiceUnavailable', 'Shutdown']],
  ['INTERNAL_ERROR', final, ['BadPath', 'MethodNotAllowed']],
];

const byReason = new Map(
  rows.flatMap(([category, then, reasons]) => reasons.map((reason) => [reason, { category, then }])),
);

const resultOf = interned((status, reason): SendResult => {
  const row = byReason.get(reason);
  return row ? { ...row, code: String(status), name: reason } : unlisted(status, reason);
});

const UNREADABLE = 'unreadable_reply';

function read(body: string): { reason: string; timestamp: number | undefined } {
  try {
    const { reason, timestamp } = JSON.parse(body) as { reason?: unknown; timestamp?: unknown };
    return {
      reason: typeof reason === 'string' ? reason : UNREADABLE,
      timestamp: typeof timestamp === 'number' && timestamp > 0 ? timestamp : undefined,
    };
  } catch {
    return { reason: UNREADABLE, timestamp: undefined };
  }
}

export function apnsRefusal(status: number, body: string): Refusal {
  const { reason, timestamp } = read(body);
  const result = resultOf(status, reason);
  return { result, since: result.then.do === 'invalidate' ? timestamp : undefined };
}

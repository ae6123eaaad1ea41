import {
  type ErrorCategory,
  final,
  interned,
  invalidate,
  once,
  type Refusal,
  retry,
  sent,
  type SendResult,
  type Then,
  unlisted,
} from '../send-results.ts';

interface Row {
  readonly category: ErrorCategory;
  readonly then: Then;
}

const dead: Row = { category: 'INVALID_TOKEN', then: invalidate };
const content: Row = { category: 'INVALID_CONTENT', then: final };

const byReason: ReadonlyMap<string, Row> = new Map([
  ['InvalidRegistrationId', dead],
  ['Unregistered', dead],
  ['InvalidData', content],
  ['InvalidConsolidationKey', content],
  ['InvalidExpiration', content],
  ['InvalidChecksum', content],
  ['InvalidType', content],
  ['MessageTooLarge', content],
  ['AccessTokenExpired', { category: 'INVALID_CONFIGURATION', then: once }],
  ['MaxRateExceeded', { category: 'QUOTA_EXCEEDED', then: retry() }],
]);

const resultOf = interned((status, name): SendResult => {
  const row = byReason.get(name);
  return row ? { ...row, code: String(status), name } : unlisted(status, name);
});

type Fields = Readonly<Record<string, unknown>>;

function fieldsIn(body: string): Fields | undefined {
  try {
    const value = JSON.parse(body) as unknown;
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

export function admRefusal(status: number, body: string): Refusal {
  const fields = fieldsIn(body);
  if (status === 200) return { result: sent, replacement: textOf(fields?.['registrationID']) };
  return { result: resultOf(status, fields ? (textOf(fields['reason']) ?? '') : 'unreadable_reply') };
}

import { objectIn } from '../reply-fields.ts';
import {
  final,
  interned,
  invalidate,
  once,
  type Refusal,
  retry,
  sent,
  type ResultRow,
  type SendResult,
  unlisted,
} from '../send-results.ts';

const dead: ResultRow = { category: 'INVALID_TOKEN', then: invalidate };
const content: ResultRow = { category: 'INVALID_CONTENT', then: final };

const byReason: ReadonlyMap<string, ResultRow> = new Map([
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

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

export function admRefusal(status: number, body: string): Refusal {
  const fields = objectIn(body);
  if (status === 200) return { result: sent, replacement: textOf(fields?.['registrationID']) };
  return { result: resultOf(status, fields ? (textOf(fields['reason']) ?? '') : 'unreadable_reply') };
}

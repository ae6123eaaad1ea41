import { type Fields, fieldsOf, jsonIn, listOf, textOf } from '../reply-fields.ts';
import {
  final,
  interned,
  invalidate,
  once,
  type Refusal,
  retry,
  unlisted,
  type ResultRow,
  type SendResult,
} from '../send-results.ts';

/** FCM has no name for it. */
const INVALID_TOKEN_ARGUMENT = 'INVALID_ARGUMENT message.token';

const byCode: ReadonlyMap<string, ResultRow> = new Map([
  ['UNREGISTERED', { category: 'INVALID_TOKEN', then: invalidate }],
  [INVALID_TOKEN_ARGUMENT, { category: 'INVALID_TOKEN', then: invalidate }],
  ['SENDER_ID_MISMATCH', { category: 'INVALID_TOKEN', then: final }],
  ['INVALID_ARGUMENT', { category: 'INVALID_CONTENT', then: final }],
  ['QUOTA_EXCEEDED', { category: 'QUOTA_EXCEEDED', then: retry(60_000) }],
  ['UNAVAILABLE', { category: 'PROVIDER_ERROR', then: retry(10_000) }],
  ['INTERNAL', { category: 'PROVIDER_ERROR', then: retry(10_000) }],
  ['THIRD_PARTY_AUTH_ERROR', { category: 'INVALID_CONFIGURATION', then: final }],
  ['UNSPECIFIED_ERROR', { category: 'UNCLASSIFIED_ERROR', then: final }],
]);

const byStatus: ReadonlyMap<number, ResultRow> = new Map([
  [401, { category: 'INVALID_CONFIGURATION', then: once }],
  [403, { category: 'INVALID_CONFIGURATION', then: final }],
  [404, { category: 'INVALID_CONFIGURATION', then: final }],
]);

const WRONG_REQUEST = 'INVALID_ARGUMENT';

const rowOf = (status: number, name: string): ResultRow | undefined => byCode.get(name) ?? byStatus.get(status);

const resultOf = interned((status, name): SendResult => {
  const row = rowOf(status, name);
  if (!row) return unlisted(status, name);
  return { ...row, code: String(status), name: name === INVALID_TOKEN_ARGUMENT ? WRONG_REQUEST : name };
});

const blamesToken = (error: Fields, details: readonly Fields[]): boolean =>
  details.some((detail) => listOf(detail['fieldViolations']).some((each) => each['field'] === 'message.token')) ||
  /\bregistration token\b/i.test(textOf(error['message']));

function nameOf(body: string): string {
  const reply = jsonIn(body);
  if (reply === undefined) return 'unreadable_reply';
  const error = fieldsOf(fieldsOf(reply)['error']);
  const details = listOf(error['details']);
  const status = textOf(error['status']);
  const code = textOf(details.find((detail) => 'errorCode' in detail)?.['errorCode']);
  const name = code === '' && status === WRONG_REQUEST ? status : code;
  if (name === WRONG_REQUEST && blamesToken(error, details)) return INVALID_TOKEN_ARGUMENT;
  return name === '' ? status : name;
}

export const fcmRefusal = (status: number, body: string): Refusal => ({ result: resultOf(status, nameOf(body)) });

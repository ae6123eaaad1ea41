import {
  type ErrorCategory,
  final,
  interned,
  invalidate,
  once,
  type Refusal,
  retry,
  type Then,
  unlisted,
  type SendResult,
} from '../send-results.ts';

interface Row {
  readonly category: ErrorCategory;
  readonly then: Then;
}

/** FCM has no name for it. */
const INVALID_TOKEN_ARGUMENT = 'INVALID_ARGUMENT message.token';

const byCode: ReadonlyMap<string, Row> = new Map([
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

const byStatus: ReadonlyMap<number, Row> = new Map([
  [401, { category: 'INVALID_CONFIGURATION', then: once }],
  [403, { category: 'INVALID_CONFIGURATION', then: final }],
  [404, { category: 'INVALID_CONFIGURATION', then: final }],
]);

const WRONG_REQUEST = 'INVALID_ARGUMENT';

const rowOf = (status: number, name: string): Row | undefined => byCode.get(name) ?? byStatus.get(status);

const resultOf = interned((status, name): SendResult => {
  const row = rowOf(status, name);
  if (!row) return unlisted(status, name);
  return { ...row, code: String(status), name: name === INVALID_TOKEN_ARGUMENT ? WRONG_REQUEST : name };
});

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const blamesToken = (error: Fields, details: readonly Fields[]): boolean =>
  details.some((detail) => listOf(detail['fieldViolations']).some((each) => each['field'] === 'message.token')) ||
  /\bregistration token\b/i.test(textOf(error['message']));

function nameOf(body: string): string {
  let reply: Fields;
  try {
    reply = fieldsOf(JSON.parse(body));
  } catch {
    return 'unreadable_reply';
  }
  const error = fieldsOf(reply['error']);
  const details = listOf(error['details']);
  const status = textOf(error['status']);
  const code = textOf(details.find((detail) => 'errorCode' in detail)?.['errorCode']);
  const name = code === '' && status === WRONG_REQUEST ? status : code;
  if (name === WRONG_REQUEST && blamesToken(error, details)) return INVALID_TOKEN_ARGUMENT;
  return name === '' ? status : name;
}

export const fcmRefusal = (status: number, body: string): Refusal => ({ result: resultOf(status, nameOf(body)) });

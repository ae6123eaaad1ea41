import {
  final,
  interned,
  invalidate,
  once,
  retry,
  sent,
  type ResultRow,
  type SendResult,
  unlisted,
} from '../send-results.ts';

interface Row extends ResultRow {
  readonly name: string;
}

const byStatus: ReadonlyMap<number, Row> = new Map([
  [400, { category: 'INVALID_CONTENT', name: 'bad_request', then: final }],
  [401, { category: 'INVALID_CONFIGURATION', name: 'unauthorized', then: once }],
  [403, { category: 'INVALID_CONFIGURATION', name: 'forbidden', then: final }],
  [404, { category: 'INVALID_TOKEN', name: 'not_found', then: invalidate }],
  [405, { category: 'INTERNAL_ERROR', name: 'method_not_allowed', then: final }],
  [406, { category: 'QUOTA_EXCEEDED', name: 'not_acceptable', then: retry(1_000, 'credential') }],
  [410, { category: 'INVALID_TOKEN', name: 'gone', then: invalidate }],
  [413, { category: 'INVALID_CONTENT', name: 'content_too_large', then: final }],
]);

const byState: ReadonlyMap<string, SendResult> = new Map<string, SendResult>([
  ['dropped', { category: 'PROVIDER_ERROR', code: '200', name: 'dropped', then: final }],
  ['channelthrottled', { category: 'QUOTA_EXCEEDED', code: '200', name: 'channelthrottled', then: retry(0, 'device') }],
]);

const refused = interned((status, description): SendResult => {
  const row = byStatus.get(status);
  if (!row) return unlisted(status, description);
  const { category, name, then } = row;
  return { category, code: String(status), name: description === '' ? name : description, then };
});

type Headers = Readonly<Record<string, string | undefined>>;

export function wnsResult(status: number, headers: Headers = {}): SendResult {
  if (status !== 200) return refused(status, headers['x-wns-error-description'] ?? '');
  const state = headers['x-wns-notificationstatus'] ?? headers['x-wns-status'] ?? '';
  return byState.get(state.toLowerCase()) ?? sent;
}

/** The access token must not go to an address outside WNS (R-C2). */
export const foreignChannel: SendResult = {
  category: 'INVALID_TOKEN',
  code: '0',
  name: 'foreign_channel',
  then: final,
};

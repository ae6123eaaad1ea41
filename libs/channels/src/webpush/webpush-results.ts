import {
  final,
  interned,
  invalidate,
  type Refusal,
  retry,
  type ResultRow,
  type SendResult,
  unlisted,
} from '../send-results.ts';

interface Row extends ResultRow {
  readonly name: string;
}

/** Other services must not wait. */
const later = retry(0, 'device');

const byStatus: ReadonlyMap<number, Row> = new Map([
  [400, { category: 'INVALID_CONTENT', name: 'bad_request', then: final }],
  [401, { category: 'INVALID_CONFIGURATION', name: 'unauthorized', then: final }],
  [403, { category: 'INVALID_CONFIGURATION', name: 'forbidden', then: final }],
  [404, { category: 'INVALID_TOKEN', name: 'not_found', then: invalidate }],
  [406, { category: 'QUOTA_EXCEEDED', name: 'not_acceptable', then: later }],
  [410, { category: 'INVALID_TOKEN', name: 'gone', then: invalidate }],
  [413, { category: 'INVALID_CONTENT', name: 'content_too_large', then: final }],
  [429, { category: 'QUOTA_EXCEEDED', name: 'too_many_requests', then: later }],
]);

const resultOf = interned((status, name): SendResult => {
  const row = byStatus.get(status);
  const code = String(status);
  if (row) return { category: row.category, code, name: name === '' ? row.name : name, then: row.then };
  const { category, then } = unlisted(status, name);
  return { category, code, name, then: then.do === 'retry' ? later : then };
});

function reasonOf(body: string): string {
  if (!body.startsWith('{')) return '';
  try {
    const { reason, error } = JSON.parse(body) as { readonly reason?: unknown; readonly error?: unknown };
    const found = reason ?? error;
    return typeof found === 'string' ? found : '';
  } catch {
    return 'unreadable_reply';
  }
}

export const webPushRefusal = (status: number, body: string): Refusal => ({ result: resultOf(status, reasonOf(body)) });

export const unusableKeys: SendResult = {
  category: 'INVALID_TOKEN',
  code: '0',
  name: 'unusable_keys',
  then: invalidate,
};

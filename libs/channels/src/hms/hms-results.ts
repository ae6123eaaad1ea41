import { objectIn, textOf } from '../reply-fields.ts';
import {
  codeNumber,
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

const ACCEPTED = 80_000_000;
const PARTLY = 80_100_000;
const ILLEGAL = 'illegal_tokens';

const content: ResultRow = { category: 'INVALID_CONTENT', then: final };
const refused: ResultRow = { category: 'INVALID_CONFIGURATION', then: once };

/** The body has the code, whatever the HTTP status is. */
const byCode: ReadonlyMap<number, ResultRow> = new Map([
  [80_300_007, { category: 'INVALID_TOKEN', then: invalidate }],
  [PARTLY, { category: 'INVALID_TOKEN', then: invalidate }],
  [80_100_001, content],
  [80_100_003, content],
  [80_100_004, content],
  [80_100_013, content],
  [80_100_016, content],
  [80_300_008, content],
  [80_200_001, refused],
  [80_200_003, refused],
  [80_300_002, { category: 'INVALID_CONFIGURATION', then: final }],
  [80_300_010, { category: 'INTERNAL_ERROR', then: final }],
  [80_300_011, { category: 'QUOTA_EXCEEDED', then: retry() }],
  [81_000_001, { category: 'PROVIDER_ERROR', then: retry() }],
]);

const byStatus: ReadonlyMap<number, ResultRow> = new Map([[503, { category: 'QUOTA_EXCEEDED', then: retry() }]]);

const listed = interned((code, name): SendResult => ({ ...byCode.get(code)!, code: String(code), name }));

const withoutCode = interned((status, name): SendResult => {
  const row = byStatus.get(status);
  return row ? { ...row, code: String(status), name } : unlisted(status, name);
});

const unknown = interned((status, name): SendResult => {
  const [code = ''] = name.split(' ', 1);
  return { ...unlisted(status, name.slice(code.length + 1)), code };
});

interface Reply {
  readonly code: number | undefined;
  readonly message: string;
}

function replyIn(body: string): Reply {
  const reply = objectIn(body);
  if (!reply) return { code: undefined, message: 'unreadable_reply' };
  const { code, msg } = reply;
  return { code: codeNumber(code), message: textOf(msg) };
}

function ofOneToken(message: string): SendResult {
  const { success, illegal_tokens: illegal } = objectIn(message) ?? {};
  const isListed = Array.isArray(illegal) && illegal.length > 0;
  return success === 1 && !isListed ? sent : listed(PARTLY, ILLEGAL);
}

function resultOf(status: number, { code, message }: Reply): SendResult {
  if (code === undefined) return status === 200 ? sent : withoutCode(status, message);
  if (code === ACCEPTED && status === 200) return sent;
  if (code === PARTLY) return ofOneToken(message);
  return byCode.has(code) ? listed(code, message) : unknown(status, `${code} ${message}`);
}

export const hmsRefusal = (status: number, body: string): Refusal => ({ result: resultOf(status, replyIn(body)) });

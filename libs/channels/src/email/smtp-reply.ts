export interface SmtpReply {
  /** 0 means that only the enhanced status is quoted. */
  readonly status: number;
  readonly enhanced: string;
  readonly text: string;
}

const READ_MAX = 2_000;

const FIRST = /^[\s#([<"'-]*([45]\.\d{1,3}\.\d{1,3})(?!\d|\.\d)[)\]>:;,]?/;
const MARKED =
  /(?:^[ \t]*|[#([<]\s*#?|\b(?:status|code|error|dsn|esc|said|says)\W{1,3})([45]\.[0-7]\.\d{1,3})(?!\w|\.\d)/gim;
const BARE =
  /(?<![\w./-])(?<!\b(?:version|release|exim|sendmail|postfix|exchange) )([45]\.[0-7]\.\d{1,3})(?!\w|\.\d|[-/]\d)/gi;

const statusesIn = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([, status = '']) => status);

function enhancedIn(text: string, status: number): string {
  const statuses = [...statusesIn(text, MARKED), ...statusesIn(text, BARE)];
  const isOfClass = (enhanced: string): boolean => status === 0 || enhanced.startsWith(String(status).charAt(0));
  return statuses.find(isOfClass) ?? '';
}

export function smtpReplyOf(status: number, text: string): SmtpReply {
  const read = text.slice(0, READ_MAX);
  const first = FIRST.exec(read);
  if (first) return { status, enhanced: first[1]!, text: read.slice(first[0].length).trim() };
  return { status, enhanced: enhancedIn(read, status), text: read.trim() };
}

const CODE = '(4[0-57]\\d|5[0-7]\\d)(?!\\d|\\.\\d)';
const LEADING_CODE = /^[\s"'<#]*([45]\d\d)(?!\d|\.\d)/;
const ANY_CODE = new RegExp(`(?<![\\w.])${CODE}(?=[ \\t\\r\\n#-])`, 'g');
const QUOTED_CODE = new RegExp(
  `(?:^[ \\t>|*<-]*|[:;'"<(#=] ?|\\b(?:error|code|said|says|returned|replied|response|reply|status)[ \\t]+)${CODE}(?=[ \\t\\r\\n:,;.'")\\]#-]|$)`,
  'gim',
);
const CODES_MAX = 200;
const REPLY_LENGTH = 400;

const withoutCodes = (text: string, code: string): string => text.replaceAll(`${code}-`, '').replace(/^[ -]/, '');

function restOfReply(text: string, at: number, code: string): string {
  const [line = '', ...others] = text.slice(at, at + REPLY_LENGTH).split(/\r?\n/);
  const lines = [line];
  for (const other of others) {
    if (other.trim() === '' || !(/^[ \t]/.test(other) || other.startsWith(code))) break;
    lines.push(other.trim());
  }
  const rest = withoutCodes(lines.join(' '), code);
  for (const { 1: next, index } of rest.matchAll(ANY_CODE)) if (next !== code) return rest.slice(0, index);
  return rest;
}

function* quotedReplies(text: string, pattern: RegExp): Generator<SmtpReply> {
  let remaining = CODES_MAX;
  for (const match of text.matchAll(pattern)) {
    if (remaining-- === 0) return;
    const code = match[1]!;
    yield smtpReplyOf(Number(code), restOfReply(text, match.index + match[0].length, code));
  }
}

const around = (text: string, enhanced: string): SmtpReply => {
  const at = text.indexOf(enhanced);
  return { status: 0, enhanced, text: text.slice(Math.max(0, at - REPLY_LENGTH), at + REPLY_LENGTH) };
};

/** The order is that of trust: a leading code comes first, running text last. */
export function quotedReply(text: string): SmtpReply | undefined {
  const leading = LEADING_CODE.exec(text);
  if (leading) {
    const [{ length }, code = ''] = leading;
    const rest = text.slice(length, length + READ_MAX).replace(/\s+/g, ' ');
    return smtpReplyOf(Number(code), withoutCodes(rest, code));
  }
  const first = FIRST.exec(text)?.[1];
  if (first !== undefined) return around(text, first);
  for (const reply of quotedReplies(text, ANY_CODE)) if (reply.enhanced !== '') return reply;
  const [marked] = statusesIn(text, MARKED);
  if (marked !== undefined) return around(text, marked);
  const { value: single } = quotedReplies(text, QUOTED_CODE).next() as IteratorResult<SmtpReply, undefined>;
  if (single) return single;
  const [bare] = statusesIn(text, BARE);
  return bare === undefined ? undefined : around(text, bare);
}

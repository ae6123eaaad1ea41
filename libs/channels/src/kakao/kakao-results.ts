import {
  codeNumber,
  type ErrorCategory,
  final,
  interned,
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

const invalidToken: Row = { category: 'INVALID_TOKEN', then: final };
const invalidContent: Row = { category: 'INVALID_CONTENT', then: final };
const invalidConfiguration: Row = { category: 'INVALID_CONFIGURATION', then: final };
const quotaExceeded: Row = { category: 'QUOTA_EXCEEDED', then: retry() };
const unclassified: Row = { category: 'UNCLASSIFIED_ERROR', then: final };
const providerError: Row = { category: 'PROVIDER_ERROR', then: retry() };

const DAILY_LIMIT = -1017;
const SENDER: ReadonlySet<number> = new Set([-1000, -1001, -1006, -1014, -1022, -1024, -1027, -1030, -2017]);
const RECIPIENT: ReadonlySet<number> = new Set([-1020, -1022]);

const isContent = (code: number): boolean =>
  code === -1028 ||
  (code <= -2000 && code >= -2005) ||
  (code <= -2018 && code >= -2037) ||
  (code <= -3000 && code >= -3999);

function commonRow(code: number): Row | undefined {
  if (code === DAILY_LIMIT) return quotaExceeded;
  return isContent(code) ? invalidContent : undefined;
}

const recipientRow = (code: number): Row => (RECIPIENT.has(code) ? invalidToken : (commonRow(code) ?? unclassified));
const requestRow = (code: number): Row | undefined => (SENDER.has(code) ? invalidConfiguration : commonRow(code));

const ofRecipient = interned((code, name): SendResult => ({ ...recipientRow(code), code: String(code), name }));
const ofRequest = interned((code, name): SendResult => ({
  ...(requestRow(code) ?? providerError),
  code: String(code),
  name,
}));
const others = interned(unlisted);

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const codeIn = ({ resultCode: code }: Fields): number => codeNumber(code) ?? 0;
const nameIn = ({ resultMessage: name }: Fields): string => (typeof name === 'string' ? name : '');

function replyOf(body: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(body));
  } catch {
    return undefined;
  }
}

function refusalIn(reply: Fields, status: number): SendResult | undefined {
  const { sendResults } = fieldsOf(reply['message']);
  const recipient = fieldsOf(Array.isArray(sendResults) ? sendResults[0] : undefined);
  if (codeIn(recipient) !== 0) return ofRecipient(codeIn(recipient), nameIn(recipient));
  const header = fieldsOf(reply['header']);
  if (header['isSuccessful'] !== false) return undefined;
  const [code, name] = [codeIn(header), nameIn(header)];
  return status === 200 || requestRow(code) ? ofRequest(code, name) : others(status, `${code} ${name}`);
}

export function kakaoRefusal(status: number, body: string): Refusal {
  const reply = replyOf(body);
  const refused = reply && refusalIn(reply, status);
  if (refused) return { result: refused };
  if (status === 200) return { result: sent };
  return { result: others(status, reply ? nameIn(fieldsOf(reply['header'])) : 'unreadable_reply') };
}

import { type Fields, fieldsOf, jsonIn, textOf } from '../reply-fields.ts';
import {
  codeNumber,
  final,
  interned,
  type Refusal,
  retry,
  sent,
  type ResultRow,
  type SendResult,
  unlisted,
} from '../send-results.ts';

const invalidToken: ResultRow = { category: 'INVALID_TOKEN', then: final };
const invalidContent: ResultRow = { category: 'INVALID_CONTENT', then: final };
const invalidConfiguration: ResultRow = { category: 'INVALID_CONFIGURATION', then: final };
const quotaExceeded: ResultRow = { category: 'QUOTA_EXCEEDED', then: retry() };
const unclassified: ResultRow = { category: 'UNCLASSIFIED_ERROR', then: final };
const providerError: ResultRow = { category: 'PROVIDER_ERROR', then: retry() };

const DAILY_LIMIT = -1017;
const SENDER: ReadonlySet<number> = new Set([-1000, -1001, -1006, -1014, -1022, -1024, -1027, -1030, -2017]);
const RECIPIENT: ReadonlySet<number> = new Set([-1020, -1022]);

const isContent = (code: number): boolean =>
  code === -1028 ||
  (code <= -2000 && code >= -2005) ||
  (code <= -2018 && code >= -2037) ||
  (code <= -3000 && code >= -3999);

function commonRow(code: number): ResultRow | undefined {
  if (code === DAILY_LIMIT) return quotaExceeded;
  return isContent(code) ? invalidContent : undefined;
}

const recipientRow = (code: number): ResultRow =>
  RECIPIENT.has(code) ? invalidToken : (commonRow(code) ?? unclassified);
const requestRow = (code: number): ResultRow | undefined => (SENDER.has(code) ? invalidConfiguration : commonRow(code));

const ofRecipient = interned((code, name): SendResult => ({ ...recipientRow(code), code: String(code), name }));
const ofRequest = interned((code, name): SendResult => ({
  ...(requestRow(code) ?? providerError),
  code: String(code),
  name,
}));
const others = interned(unlisted);

const codeIn = ({ resultCode: code }: Fields): number => codeNumber(code) ?? 0;
const nameIn = ({ resultMessage: name }: Fields): string => textOf(name);

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
  const read = jsonIn(body);
  const reply = read === undefined ? undefined : fieldsOf(read);
  const refused = reply && refusalIn(reply, status);
  if (refused) return { result: refused };
  if (status === 200) return { result: sent };
  return { result: others(status, reply ? nameIn(fieldsOf(reply['header'])) : 'unreadable_reply') };
}

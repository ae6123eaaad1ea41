import { MAIL_TOKEN_LENGTH } from '../mail-token.ts';
import { type Fields, readFields, wordIn } from './fields.ts';
import type { ReceivedMail } from './received-mail.ts';

export interface Feedback {
  readonly isComplaint: boolean;
  /** Any token may be forged; the best one comes first. */
  readonly tokens: readonly string[];
}

const COMPLAINTS: ReadonlySet<string> = new Set(['abuse', 'fraud', 'other']);
const EMBEDDED: ReadonlySet<string> = new Set([
  'message/rfc822',
  'message/global',
  'message/rfc822-headers',
  'message/global-headers',
  'text/rfc822-headers',
]);

const digits = `[a-z2-7]{${MAIL_TOKEN_LENGTH}}`;
const RETURN_PATH = new RegExp(`(?:^|[^\\w.-])b-(${digits})@`, 'i');
const MESSAGE_ID = new RegExp(`\\.(${digits})@`, 'i');

const found = (pattern: RegExp, text: string | undefined): string[] => pattern.exec(text ?? '')?.slice(1) ?? [];

const tokensOf = (report: Fields, mail: Fields): string[] => [
  ...found(RETURN_PATH, report.get('original-mail-from')),
  ...found(RETURN_PATH, mail.get('return-path')),
  ...found(MESSAGE_ID, mail.get('message-id')),
];

export function feedbackIn({ parts }: ReceivedMail): Feedback | undefined {
  const part = parts.find(({ type }) => type === 'message/feedback-report');
  if (!part) return undefined;
  const report = readFields(part.text).fields;
  const embedded = parts.find(({ type }) => EMBEDDED.has(type));
  const reported: Fields = embedded ? readFields(embedded.text).fields : new Map();
  return { isComplaint: COMPLAINTS.has(wordIn(report, 'feedback-type')), tokens: tokensOf(report, reported) };
}

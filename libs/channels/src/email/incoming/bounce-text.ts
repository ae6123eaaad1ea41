import { quotedReply, type SmtpReply } from '../smtp-reply.ts';
import { withoutComments, wordIn } from './fields.ts';
import type { ReceivedMail } from './received-mail.ts';

export type Notice = 'failed' | 'delayed';

const DAEMON = /\b(?:mailer[-_.]?daemon|postmaster|mail delivery (?:sub)?system)\b/i;
const DELAY_SUBJECTS = [
  /\(delay(?:ed)?\)/i,
  /still being retried/i,
  /^warning: (?:could not send|message\b.* delayed)\b/i,
  /^\W*(?:message |mail )?delivery (?:is )?(?:delayed|warning)\b/i,
  /^\W*(?:message|mail) delayed\b/i,
  /^\W*delayed(?: mail| message|:)/i,
  /^\W*(?:verzögerte zustellung|zustellung verzögert)/i,
];
const DELAY_TEXTS = [
  /\bwill (?:be retried|be tried again|retry|keep trying|try again)\b/i,
  /\bwill continue (?:trying|to (?:try|attempt|be attempted))\b/i,
  /\bdelivery attempts will continue\b/i,
  /\b(?:do not need|need not|no need) to resend\b/i,
  /\bwarning (?:message )?only\b/i,
  /\b(?:has|have) not yet been delivered\b/i,
  /\bhasn't been delivered yet\b/i,
];
const COPY =
  /^[ \t]*[->*_=]{2,}[^\n]{0,40}\b(?:copy of (?:the|your) message|original message|returned message|message header|urspr[^\n]{1,8}ngliche nachricht|below this line)\b/im;

const isReport = ({ fields }: ReceivedMail): boolean =>
  /^multipart\/report\b.*\breport-type(?:\*0?\*?)?\s*=\s*"?(?:[\w-]*'[\w-]*')?delivery-/i.test(
    withoutComments(fields.get('content-type') ?? ''),
  );

const noticeIn = ({ text }: ReceivedMail): string => text.slice(0, COPY.exec(text)?.index);

/** Reading or answering proves that the mail arrived (RFC 8098, RFC 3834). */
const isAnswer = ({ fields, parts }: ReceivedMail): boolean =>
  parts.some(({ type }) => type.endsWith('disposition-notification')) ||
  /^auto-(replied|notified)/.test(wordIn(fields, 'auto-submitted'));

/** Absent people answer automatically: a notice names recipients or comes from a mail system. */
export function noticeOf(mail: ReceivedMail): Notice | undefined {
  const { fields } = mail;
  const isNotice = isReport(mail) || fields.has('x-failed-recipients');
  if (!isNotice && (isAnswer(mail) || !DAEMON.test(withoutComments(fields.get('from') ?? '')))) return undefined;
  const notice = noticeIn(mail).replace(/\s+/g, ' ');
  const isLate =
    DELAY_SUBJECTS.some((pattern) => pattern.test(fields.get('subject') ?? '')) ||
    /\(warning/i.test(fields.get('auto-submitted') ?? '') ||
    DELAY_TEXTS.some((pattern) => pattern.test(notice));
  return isLate ? 'delayed' : 'failed';
}

export const replyInText = (mail: ReceivedMail): SmtpReply | undefined => quotedReply(noticeIn(mail));

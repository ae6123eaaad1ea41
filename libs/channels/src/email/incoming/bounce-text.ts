import { type SmtpReply, smtpReplyOf } from '../bounces.ts';
import { type MimePart, partsOf, textOf } from './mime-parts.ts';

/** Senders of bounces. */
const DAEMON = /\b(mailer-daemon|postmaster)\b/i;
/** Subjects of warnings that the mail is late. Subjects of bounces may quote the subject of the mail. */
const LATE = /\(delay\)|^warning: message .* delayed\b/i;

const isReport = ({ type, parameters }: MimePart): boolean =>
  type === 'multipart/report' && parameters.get('report-type')?.toLowerCase() === 'delivery-status';

/**
 * Whether a mail without a readable report is one about a failed delivery. Servers that fail mails and people who are absent both answer automatically,
 * so it must name the recipients that failed, or come from a mail system and be no reply.
 */
export function isBounceText(mail: MimePart): boolean {
  const { fields } = mail;
  if (LATE.test(fields.get('subject') ?? '')) return false;
  if (isReport(mail) || fields.has('x-failed-recipients')) return true;
  const isReply = /^auto-(replied|notified)/i.test(fields.get('auto-submitted') ?? '');
  return !isReply && DAEMON.test(fields.get('from') ?? '');
}

/** A code with an enhanced status; an enhanced status alone; a code that begins a line or follows a colon. */
const REPLIES = [
  /\b([45]\d\d)[ -]#?([45]\.\d{1,3}\.\d{1,3}(?!\.?\d).{0,200})/,
  /(?<![.\d])()([45]\.\d{1,3}\.\d{1,3}(?!\.?\d).{0,200})/,
  /(?:^[ \t]*|: ?)([45]\d\d)[ -](.{0,200})/m,
];

/** The reply that the text of a bounce quotes; undefined if it quotes none. */
export function replyInText(mail: MimePart): SmtpReply | undefined {
  for (const part of partsOf(mail)) {
    if (!part.type.startsWith('text/') || part.type === 'text/rfc822-headers') continue;
    const text = textOf(part);
    for (const pattern of REPLIES) {
      const [, code = '', rest = ''] = pattern.exec(text) ?? [];
      if (rest !== '') return smtpReplyOf(Number(code), rest.trim());
    }
  }
  return undefined;
}

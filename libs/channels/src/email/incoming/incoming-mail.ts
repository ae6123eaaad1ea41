import { type BounceCategory, bounceOf } from '../bounces.ts';
import type { SmtpReply } from '../smtp-reply.ts';
import { noticeOf, replyInText } from './bounce-text.ts';
import { feedbackIn } from './complaint.ts';
import { deliveryIn } from './delivery-status.ts';
import { readMail } from './received-mail.ts';

/** A report about a mail that was sent. */
export type IncomingMail =
  /** The mail failed after it was accepted. */
  | {
      readonly kind: 'bounced';
      readonly category: BounceCategory;
      /** The code of the reply, "0" without one, and its enhanced status, "" without one. */
      readonly code: string;
      readonly name: string;
    }
  /** The recipient does not want the mail. */
  | { readonly kind: 'complained'; readonly tokens: readonly string[] }
  /** The mail is late, or arrived: nothing changes. */
  | { readonly kind: 'delayed' | 'delivered' }
  /** Feedback other than a complaint. */
  | { readonly kind: 'feedback' }
  /** The mail is no report, such as one of a person or of an autoresponder. */
  | { readonly kind: 'other' };

/** The text of the reply is left out: it may name its recipient, by an address or in words, and reports outlive the erasure of a person (R-C8). */
function bounced(reply: SmtpReply | undefined): IncomingMail {
  if (!reply) return { kind: 'bounced', category: 'BOUNCED_UNCLASSIFIED', code: '0', name: '' };
  return { kind: 'bounced', category: bounceOf(reply), code: String(reply.status), name: reply.enhanced };
}

/**
 * The report in a mail: a bounce (RFC 3464, or a text that resembles one) or a complaint (RFC 5965). Any bytes are read, of which only a bounded beginning
 * counts (R-E18).
 */
export async function incomingMailOf(bytes: Buffer): Promise<IncomingMail> {
  const mail = await readMail(bytes);
  if (!mail) return { kind: 'other' };
  const feedback = feedbackIn(mail);
  if (feedback) return feedback.isComplaint ? { kind: 'complained', tokens: feedback.tokens } : { kind: 'feedback' };
  const delivery = deliveryIn(mail);
  if (delivery?.is === 'failed') return bounced(delivery.reply ?? replyInText(mail));
  if (delivery) return { kind: delivery.is };
  const notice = noticeOf(mail);
  if (notice === 'delayed') return { kind: 'delayed' };
  return notice ? bounced(replyInText(mail)) : { kind: 'other' };
}

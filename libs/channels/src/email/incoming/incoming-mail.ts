import { type BounceCategory, bounceOf } from '../bounces.ts';
import type { SmtpReply } from '../smtp-reply.ts';
import { noticeOf, replyInText } from './bounce-text.ts';
import { feedbackIn } from './complaint.ts';
import { deliveryIn } from './delivery-status.ts';
import { readMail } from './received-mail.ts';

export type IncomingMail =
  | {
      readonly kind: 'bounced';
      readonly category: BounceCategory;
      readonly code: string;
      readonly name: string;
    }
  | { readonly kind: 'complained'; readonly tokens: readonly string[] }
  | { readonly kind: 'delayed' | 'delivered' }
  | { readonly kind: 'feedback' }
  | { readonly kind: 'other' };

/** The reply may name its recipient, and would outlive an erasure (R-C8). */
function bounced(reply: SmtpReply | undefined): IncomingMail {
  if (!reply) return { kind: 'bounced', category: 'BOUNCED_UNCLASSIFIED', code: '0', name: '' };
  return { kind: 'bounced', category: bounceOf(reply), code: String(reply.status), name: reply.enhanced };
}

/** Reads only a bounded beginning of any bytes (R-E18). */
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

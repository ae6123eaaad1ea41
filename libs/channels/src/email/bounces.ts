import type { SmtpReply } from './smtp-reply.ts';

export type BounceCategory =
  | 'BOUNCED_HARD_GENERAL'
  | 'BOUNCED_HARD_MAILBOX_FULL'
  | 'BOUNCED_HARD_MAILBOX_INACTIVE'
  | 'BOUNCED_HARD_SUPPRESSED'
  | 'BOUNCED_HARD_UNDETERMINED'
  | 'BOUNCED_SOFT_GENERAL'
  | 'BOUNCED_SOFT_MAILBOX_FULL'
  | 'BOUNCED_SOFT_CONTENT_REJECTED'
  | 'BOUNCED_SOFT_SPAM'
  | 'BOUNCED_SOFT_MESSAGE_TOO_LARGE'
  | 'BOUNCED_SOFT_ATTACHMENT_REJECTED'
  | 'BOUNCED_SOFT_CUSTOM_TIMEOUT_EXCEEDED'
  | 'BOUNCED_SOFT_UNDETERMINED'
  | 'BOUNCED_UNDETERMINED'
  | 'BOUNCED_UNCLASSIFIED';

export const isHardBounce = (category: string): boolean => category.startsWith('BOUNCED_HARD_');

const SUPPRESSED = /suppress/i;
const ATTACHMENT = /attachment/i;
const SPAM = /spam|blocklist|blacklist|reputation/i;

const GENERAL: ReadonlySet<string> = new Set(['5.2.0', '5.4.1', '5.4.4']);
const SENDER: ReadonlySet<string> = new Set(['5.1.7', '5.1.8']);

function hardCategory(enhanced: string): BounceCategory | undefined {
  if (SENDER.has(enhanced)) return undefined;
  if (enhanced.startsWith('5.1.') || GENERAL.has(enhanced)) return 'BOUNCED_HARD_GENERAL';
  if (enhanced === '5.2.1') return 'BOUNCED_HARD_MAILBOX_INACTIVE';
  return enhanced === '5.2.2' ? 'BOUNCED_HARD_MAILBOX_FULL' : undefined;
}

function categoryOfText(text: string): BounceCategory | undefined {
  if (ATTACHMENT.test(text)) return 'BOUNCED_SOFT_ATTACHMENT_REJECTED';
  return SPAM.test(text) ? 'BOUNCED_SOFT_SPAM' : undefined;
}

function categoryOfStatus(status: number): BounceCategory {
  if (status === 552) return 'BOUNCED_SOFT_MAILBOX_FULL';
  if (status === 550 || status === 551 || status === 553) return 'BOUNCED_HARD_UNDETERMINED';
  return status < 500 ? 'BOUNCED_SOFT_UNDETERMINED' : 'BOUNCED_UNDETERMINED';
}

function categoryOfEnhanced(enhanced: string): BounceCategory {
  const [type, subject] = enhanced.split('.');
  if (type === '4') {
    return subject === '4' || subject === '7' ? 'BOUNCED_SOFT_CUSTOM_TIMEOUT_EXCEEDED' : 'BOUNCED_SOFT_GENERAL';
  }
  if (subject === '6' || enhanced === '5.7.0' || enhanced === '5.7.1') return 'BOUNCED_SOFT_CONTENT_REJECTED';
  return subject === '7' || SENDER.has(enhanced) ? 'BOUNCED_SOFT_GENERAL' : 'BOUNCED_UNDETERMINED';
}

export function bounceOf({ status, enhanced, text }: SmtpReply): BounceCategory {
  if (SUPPRESSED.test(text)) return 'BOUNCED_HARD_SUPPRESSED';
  const hard = hardCategory(enhanced);
  if (hard) return hard;
  if (enhanced === '4.2.2' || (enhanced === '' && status === 452)) return 'BOUNCED_SOFT_MAILBOX_FULL';
  if (/^\d\.(2\.3|3\.4)$/.test(enhanced)) return 'BOUNCED_SOFT_MESSAGE_TOO_LARGE';
  return categoryOfText(text) ?? (enhanced === '' ? categoryOfStatus(status) : categoryOfEnhanced(enhanced));
}

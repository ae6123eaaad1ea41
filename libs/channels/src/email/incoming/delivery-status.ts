import { quotedReply, type SmtpReply } from '../smtp-reply.ts';
import { type Fields, readFields, withoutComments, wordIn } from './fields.ts';
import type { ReceivedMail } from './received-mail.ts';

export type Delivery =
  | { readonly is: 'failed'; readonly reply: SmtpReply | undefined }
  | { readonly is: 'delayed' | 'delivered' };

const RECIPIENTS_MAX = 100;

const STATUS_TYPES: ReadonlySet<string> = new Set(['message/delivery-status', 'message/global-delivery-status']);
const STATUS = /(?<![\w.])[245]\.\d{1,3}\.\d{1,3}(?![\w.])/;
const GENERIC = /^\d\.0\.0$/;
const EXPIRED = '4.4.7';

const statusIn = (fields: Fields): string => STATUS.exec(withoutComments(fields.get('status') ?? ''))?.[0] ?? '';

const diagnosticIn = (fields: Fields): string =>
  (fields.get('diagnostic-code') ?? '').replace(/^\s*[\w-]+\s*(?:\([^)]*\)\s*)?;/, '').trim();

function replyOf(fields: Fields): SmtpReply | undefined {
  const text = diagnosticIn(fields);
  const reply = quotedReply(text);
  if (reply && reply.enhanced !== '' && !GENERIC.test(reply.enhanced)) return reply;
  const status = statusIn(fields) || (wordIn(fields, 'action') === 'expired' ? EXPIRED : '');
  if (status !== '' && !GENERIC.test(status)) return { ...(reply ?? { status: 0, text }), enhanced: status };
  return reply ?? (status === '' ? undefined : { status: 0, enhanced: status, text });
}

const PENDING: ReadonlySet<string> = new Set(['delayed', 'delivered', 'relayed', 'expanded']);
const FAILED: ReadonlySet<string> = new Set(['failed', 'expired']);

const isFailed = (fields: Fields): boolean => {
  const action = wordIn(fields, 'action');
  return FAILED.has(action) || (!PENDING.has(action) && statusIn(fields).startsWith('5'));
};

function recipientsIn(text: string): Fields[] {
  const recipients: Fields[] = [];
  for (let at = 0; at < text.length && recipients.length < RECIPIENTS_MAX;) {
    const { fields, end } = readFields(text, at);
    if (fields.has('action') || fields.has('status')) recipients.push(fields);
    at = end;
  }
  return recipients;
}

export function deliveryIn({ parts }: ReceivedMail): Delivery | undefined {
  for (const { type, text } of parts) {
    if (!STATUS_TYPES.has(type)) continue;
    const recipients = recipientsIn(text);
    const failed = recipients.find(isFailed);
    if (failed) return { is: 'failed', reply: replyOf(failed) };
    const [first] = recipients;
    if (first) return { is: wordIn(first, 'action') === 'delayed' ? 'delayed' : 'delivered' };
  }
  return undefined;
}

import { type SmtpReply, smtpReplyOf } from '../bounces.ts';
import { type Fields, type MimePart, partsOf, readFields, textOf } from './mime-parts.ts';

/** The meaning of a delivery report (RFC 3464). */
export type Delivery =
  /** The delivery failed for good. `reply` is undefined if the report contains no reason. */
  | { readonly is: 'failed'; readonly reply: SmtpReply | undefined }
  /** The delivery is in progress, or succeeded. */
  | { readonly is: 'delayed' | 'delivered' };

/** Recipients that are read of a report; more name the members of a list. */
const RECIPIENTS_MAX = 100;

const STATUS_TYPES: ReadonlySet<string> = new Set(['message/delivery-status', 'message/global-delivery-status']);
const STATUS = /^[245]\.\d{1,3}\.\d{1,3}(?![.\d])/;
/** A status that says no more than the class of a code. */
const GENERIC = /^\d\.0\.0$/;
const REPLY = /^([45]\d\d)(?:[ -]#?|$)/;

/** A reply that a report quotes: its code, where it has one, comes first. */
export function quotedReply(text: string): SmtpReply | undefined {
  const code = REPLY.exec(text);
  return code ? smtpReplyOf(Number(code[1]), text.slice(code[0].length)) : undefined;
}

/** `smtp; 550 5.1.1 unknown`: the text behind the type. */
const diagnosticIn = (fields: Fields): string => {
  const value = fields.get('diagnostic-code') ?? '';
  return value.slice(value.indexOf(';') + 1).trim();
};

/**
 * The reply behind a failure, as it would have been given at once: that of the server in the diagnostic code, completed by the status, which servers
 * choose for replies that have none.
 */
function replyOf(fields: Fields): SmtpReply | undefined {
  const text = diagnosticIn(fields);
  const status = STATUS.exec(fields.get('status') ?? '')?.[0] ?? '';
  const reply = quotedReply(text);
  if (reply) return reply.enhanced !== '' || GENERIC.test(status) ? reply : { ...reply, enhanced: status };
  return status === '' ? undefined : { status: 0, enhanced: status, text };
}

const isFailed = (fields: Fields): boolean => {
  const action = fields.get('action')?.trim().toLowerCase();
  return action === undefined ? fields.get('status')?.startsWith('5') === true : action === 'failed';
};

/** The groups of fields of a report, one for each recipient. */
function recipientsIn(text: string): Fields[] {
  const recipients: Fields[] = [];
  for (let at = 0; at < text.length && recipients.length < RECIPIENTS_MAX;) {
    const { fields, end } = readFields(text, at);
    if (fields.has('action') || fields.has('status')) recipients.push(fields);
    at = end;
  }
  return recipients;
}

/**
 * The delivery that the report in a mail describes; undefined for a mail without a report. A mail had one recipient, so further recipients are those that
 * its server passed the mail on to: it failed if it failed for any of them.
 */
export function deliveryIn(mail: MimePart): Delivery | undefined {
  for (const part of partsOf(mail)) {
    if (!STATUS_TYPES.has(part.type)) continue;
    const recipients = recipientsIn(textOf(part));
    const failed = recipients.find(isFailed);
    if (failed) return { is: 'failed', reply: replyOf(failed) };
    const [first] = recipients;
    if (first) return { is: first.get('action')?.trim().toLowerCase() === 'delayed' ? 'delayed' : 'delivered' };
  }
  return undefined;
}

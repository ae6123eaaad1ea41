import { type ErrorCategory, final, type Refusal, retry, type SendResult, type Then } from '../send-results.ts';
import { bounceOf } from './bounces.ts';
import { type SmtpReply, smtpReplyOf } from './smtp-reply.ts';

export type SmtpStage = 'greeting' | 'login' | 'sender' | 'recipient' | 'content';

const LOGIN_REFUSED: ReadonlySet<number> = new Set([454, 530, 534, 535, 538]);
const LOGIN_REQUIRED = 530;

const CLOSING = 421;

/** Mails to other servers must not wait. */
const later = retry(0, 'device');

const RESULTS_MAX = 1000;
const cached = new Map<string, SendResult>();

function shared(result: SendResult): SendResult {
  const key = `${result.category} ${result.code} ${result.name} ${result.bounce ?? ''}`;
  const first = cached.get(key) ?? result;
  if (cached.size < RESULTS_MAX) cached.set(key, first);
  return first;
}

/** A refused recipient counts as sent and as bounced (R-E18). */
const bounced = (reply: SmtpReply): SendResult =>
  shared({
    category: 'SENT',
    code: String(reply.status),
    name: reply.enhanced,
    bounce: bounceOf(reply),
    then: reply.status < 500 ? later : { do: 'sent' },
  });

const failed = (category: ErrorCategory, { status, enhanced }: SmtpReply, then: Then): SendResult =>
  shared({ category, code: String(status), name: enhanced, then });

const isMisconfigured = (stage: SmtpStage, status: number): boolean =>
  stage === 'login' ||
  status === LOGIN_REQUIRED ||
  (stage === 'sender' && (status >= 500 || LOGIN_REFUSED.has(status)));

export function smtpResult(stage: SmtpStage, status: number, text: string): SendResult {
  const reply = smtpReplyOf(status, text);
  if (status === CLOSING || stage === 'greeting') return failed('PROVIDER_ERROR', reply, later);
  if (isMisconfigured(stage, status)) return failed('INVALID_CONFIGURATION', reply, final);
  return stage === 'sender' ? failed('PROVIDER_ERROR', reply, later) : bounced(reply);
}

export const mailRefusal = (status: number, text: string): Refusal => ({
  result: smtpResult('recipient', status, text),
});

const withoutReply = (
  bounce: NonNullable<SendResult['bounce']>,
  name: string,
  then: SendResult['then'],
): SendResult => ({
  category: 'SENT',
  code: '0',
  name,
  bounce,
  then,
});

export const directResults = {
  noMailDomain: withoutReply('BOUNCED_HARD_GENERAL', 'no_mail_domain', { do: 'sent' }),
  noReply: withoutReply('BOUNCED_SOFT_CUSTOM_TIMEOUT_EXCEEDED', 'no_reply', later),
} as const;

export const blacklisted: SendResult = withoutReply('BOUNCED_HARD_SUPPRESSED', 'blacklisted', { do: 'sent' });

const unwanted = (name: string): SendResult => ({ category: 'UNCLASSIFIED_ERROR', code: '0', name, then: final });

/** A bounce would blacklist the address (R-E5). */
export const unwantedResults = {
  complained: unwanted('complaint'),
  unsubscribed: unwanted('unsubscribed'),
  leftCategory: unwanted('filtered_by_category'),
} as const;

export const relayResults = {
  noReply: { category: 'PROVIDER_ERROR', code: '0', name: 'timeout', then: later } satisfies SendResult as SendResult,
} as const;

export const tooLargeForServer: SendResult = bounced(smtpReplyOf(552, '5.3.4 message too large'));

import { type ErrorCategory, final, type Refusal, retry, type SendResult, type Then } from '../send-results.ts';
import { bounceOf } from './bounces.ts';
import { type SmtpReply, smtpReplyOf } from './smtp-reply.ts';

/** The command that a mail server refused. `content`: the mail itself. */
export type SmtpStage = 'greeting' | 'login' | 'sender' | 'recipient' | 'content';

/** Replies to commands that ask for a login first, or refuse it. */
const LOGIN_REFUSED: ReadonlySet<number> = new Set([454, 530, 534, 535, 538]);
const LOGIN_REQUIRED = 530;

/** The server closes: every command may be answered by it. */
const CLOSING = 421;

/** A server throttles a client, not a credential: others' mails must not wait for it. */
const later = retry(0, 'device');

const RESULTS_MAX = 1000;
const known = new Map<string, SendResult>();

/** Equal results share one value. Servers choose statuses, so their number is bounded. */
function shared(result: SendResult): SendResult {
  const key = `${result.category} ${result.code} ${result.name} ${result.bounce ?? ''}`;
  const first = known.get(key) ?? result;
  if (known.size < RESULTS_MAX) known.set(key, first);
  return first;
}

/** Verdicts on a recipient or on a mail are no errors: the mail counts as sent, and as bounced (R-E18). A 4xx is the result when its retries end. */
const bounced = (said: SmtpReply): SendResult =>
  shared({
    category: 'SENT',
    code: String(said.status),
    name: said.enhanced,
    bounce: bounceOf(said),
    then: said.status < 500 ? later : { do: 'sent' },
  });

const failed = (category: ErrorCategory, { status, enhanced }: SmtpReply, then: Then): SendResult =>
  shared({ category, code: String(status), name: enhanced, then });

/** Whether a refused command says that the service has no right to send. */
const isMisconfigured = (stage: SmtpStage, status: number): boolean =>
  stage === 'login' ||
  status === LOGIN_REQUIRED ||
  (stage === 'sender' && (status >= 500 || LOGIN_REFUSED.has(status)));

/** The meaning of a reply of 4xx or 5xx. @param text without its code */
export function smtpResult(stage: SmtpStage, status: number, text: string): SendResult {
  const said = smtpReplyOf(status, text);
  if (status === CLOSING || stage === 'greeting') return failed('PROVIDER_ERROR', said, later);
  if (isMisconfigured(stage, status)) return failed('INVALID_CONFIGURATION', said, final);
  return stage === 'sender' ? failed('PROVIDER_ERROR', said, later) : bounced(said);
}

/** The meaning of a verdict on a recipient. */
export const mailRefusal = (status: number, text: string): Refusal => ({
  result: smtpResult('recipient', status, text),
});

const unasked = (bounce: NonNullable<SendResult['bounce']>, name: string, then: SendResult['then']): SendResult => ({
  category: 'SENT',
  code: '0',
  name,
  bounce,
  then,
});

/** Causes that lie between the service and the domain of a recipient, where no relay is configured (R-E19). */
export const directResults = {
  /** The domain takes no mail: it counts as 5.1.2. */
  noMailDomain: unasked('BOUNCED_HARD_GENERAL', 'no_mail_domain', { do: 'sent' }),
  /** No server of the domain replied until the retries ended. */
  noReply: unasked('BOUNCED_SOFT_CUSTOM_TIMEOUT_EXCEEDED', 'no_reply', later),
} as const;

/** The address has come onto the blacklist since the audience was computed: the mail is not written (R-E18). */
export const blacklisted: SendResult = unasked('BOUNCED_HARD_SUPPRESSED', 'blacklisted', { do: 'sent' });

const unwanted = (name: string): SendResult => ({ category: 'UNCLASSIFIED_ERROR', code: '0', name, then: final });

/** The contact has refused such mails since the audience was computed. These are no bounces, which would blacklist the address (R-E5). */
export const unwantedResults = {
  complained: unwanted('complaint'),
  unsubscribed: unwanted('unsubscribed'),
  leftCategory: unwanted('filtered_by_category'),
} as const;

/** Causes at the relay. */
export const relayResults = {
  /** No reply came in time, and the mail itself was not written. */
  noReply: { category: 'PROVIDER_ERROR', code: '0', name: 'timeout', then: later } satisfies SendResult as SendResult,
} as const;

/** The mail exceeds what the server says that it takes, so it is not written. */
export const tooLargeForServer: SendResult = bounced(smtpReplyOf(552, '5.3.4 message too large'));

import {
  type IncomingMail,
  incomingMailOf,
  type MailReference,
  mailTokenKeyOf,
  parseMailToken,
  tokenInReturnPath,
} from '@tidings/channels';
import { mailReportRecord, type MailReport } from '@tidings/delivery';
import { topicNames } from '@tidings/events';
import { chunkOf, type Clock, createdAtOf, TEST_CHUNK } from '@tidings/kernel';
import type { Messages } from '@tidings/rpc';
import type { IdentityKeys } from '@tidings/runtime';
import { type Broker, microBatcher } from '@tidings/streaming';
import type { KeyObject } from 'node:crypto';
import type { Access } from '../auth/access.ts';
import type { CallerLimits } from '../auth/caller-limits.ts';
import { SHORTEST_KEPT_MS } from '../reports/reporter.ts';

export interface MailIntakeDeps {
  readonly domain: string;
  readonly access: Pick<Access, 'anonymousAccess'>;
  readonly messages: Pick<Messages, 'find'>;
  readonly broker: Pick<Broker, 'publish'>;
  readonly identity: () => Pick<IdentityKeys, 'report'>;
  readonly clock: Clock;
  readonly recipientLimits: CallerLimits;
}

export type IncomingRecipient =
  | { readonly is: 'returnPath'; readonly mail: MailReference }
  | { readonly is: 'feedback' };

/** Anyone who knows a return path can repeat reports. */
export type Intake = IncomingMail['kind'] | 'unassigned' | 'misdirected' | 'excess';

const POSTMASTER = 'postmaster';
const FEEDBACK: ReadonlySet<string> = new Set(['complaints', POSTMASTER]);
const feedback: IncomingRecipient = { is: 'feedback' };

export interface MailIntake {
  recipientOf(address: string): IncomingRecipient | undefined;
  /** Resolves when the report is durable. */
  take(recipients: readonly IncomingRecipient[], bytes: Buffer): Promise<Intake>;
  readonly open: () => number;
}

type Reported = Extract<IncomingMail, { readonly kind: 'bounced' | 'complained' }>;

const reportOf = (mail: Reported, { sentAt }: MailReference): MailReport =>
  mail.kind === 'bounced' ? { ...mail, sentAt } : { kind: 'complained', sentAt };

const returnPathsIn = (recipients: readonly IncomingRecipient[]): MailReference[] =>
  recipients.flatMap((recipient) => (recipient.is === 'returnPath' ? [recipient.mail] : []));

/** A complaint is about one mail, whoever else received it. */
function reportedBy(mail: Reported, recipients: readonly IncomingRecipient[], key: KeyObject): MailReference[] {
  const addressed = returnPathsIn(recipients);
  if (mail.kind === 'bounced') return addressed;
  for (const token of mail.tokens) {
    const named = parseMailToken(key, token);
    if (named) return [named];
  }
  return addressed.slice(0, 1);
}

function isWithin(limits: CallerLimits, { application, seq }: MailReference): boolean {
  try {
    limits.take(application, `report ${seq}`);
    return true;
  } catch {
    return false;
  }
}

export function openMailIntake(deps: MailIntakeDeps): MailIntake {
  const { domain, access, messages, broker, identity, clock, recipientLimits } = deps;
  const batcher = microBatcher(broker, topicNames.reports);
  let underWay = 0;
  let keyOf: { readonly report: KeyObject; readonly mail: KeyObject } | undefined;

  const key = (): KeyObject => {
    const { report } = identity();
    if (keyOf?.report !== report) keyOf = { report, mail: mailTokenKeyOf(report) };
    return keyOf.mail;
  };

  const accountOf = async ({ application, message: code, messageId, seq }: MailReference) => {
    if (chunkOf(seq) === TEST_CHUNK) return undefined;
    const found = await access.anonymousAccess(application);
    if (found.kind !== 'granted') return undefined;
    const { account } = found.application;
    if (clock.now() - createdAtOf(messageId) < SHORTEST_KEPT_MS) return account;
    const { message } = await messages.find({ account, code });
    return message?.id === messageId ? account : undefined;
  };

  const publish = async (mail: Reported, reference: MailReference): Promise<Intake> => {
    if (!isWithin(recipientLimits, reference)) return 'excess';
    const account = await accountOf(reference);
    if (account === undefined) return 'unassigned';
    await batcher.publish(mailReportRecord({ ...reference, account }, reportOf(mail, reference), clock.now()));
    return mail.kind;
  };

  const take = async (recipients: readonly IncomingRecipient[], bytes: Buffer): Promise<Intake> => {
    const mail = await incomingMailOf(bytes);
    if (mail.kind !== 'bounced' && mail.kind !== 'complained') {
      const isMisdirected = mail.kind !== 'feedback' && returnPathsIn(recipients).length === 0;
      return isMisdirected ? 'misdirected' : mail.kind;
    }
    if (mail.kind === 'bounced' && returnPathsIn(recipients).length === 0) return 'misdirected';
    const done = await Promise.all(reportedBy(mail, recipients, key()).map((reference) => publish(mail, reference)));
    return done.find((each) => each === mail.kind) ?? done[0] ?? 'unassigned';
  };

  return {
    recipientOf(address) {
      // The one recipient without a domain (RFC 5321 4.5.1).
      if (address.toLowerCase() === POSTMASTER) return feedback;
      const at = address.lastIndexOf('@');
      if (address.slice(at + 1).toLowerCase() !== domain) return undefined;
      const local = address.slice(0, at);
      if (FEEDBACK.has(local.toLowerCase())) return feedback;
      const mail = parseMailToken(key(), tokenInReturnPath(local) ?? '');
      return mail && { is: 'returnPath', mail };
    },

    async take(recipients, bytes) {
      underWay++;
      try {
        return await take(recipients, bytes);
      } finally {
        underWay--;
      }
    },

    open: () => underWay,
  };
}

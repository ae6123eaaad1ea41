import type { GivenContent, Notification } from '@tidings/contract';
import { type LiveActivity, type LocalTime, PastOffsets } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { MessageRequest, UnknownContacts } from '@tidings/rpc';
import { recipientsOf } from './recipients.ts';

/** A message to fewer named recipients is hidden (R-I6). */
const HISTORY_FROM = 10;

export interface MessageOptions {
  /** In the history however few recipients it names (R-I6). @default false */
  readonly isAlwaysStored?: boolean;
  /** Conditions on tags of other applications match by hwid (R-O5). @default false, they match nobody */
  readonly bySiblings?: boolean;
  /** Its timestamp is set when the message is accepted. */
  readonly liveActivity?: LiveActivity;
  /** An e-mail, and nothing else. @default false */
  readonly isEmail?: boolean;
  /** Its preset must be one of e-mail, and approved (R-E7). @default false */
  readonly hasEmailPreset?: boolean;
  /** Frequency caps apply, although it is transactional (R-E12). @default false */
  readonly isCapped?: boolean;
  /** @default they are left out */
  readonly unknownContacts?: UnknownContacts;
  /** R-E8 */
  readonly unregistrable?: readonly string[];
}

const DEFAULT = 'default';

/** One subject for every language is that of the default language. */
function emailOf({ email }: GivenContent) {
  if (!email) return undefined;
  const { subject, bcc, attachments, ...rest } = email;
  const localized =
    subject && 'everywhere' in subject ? { entries: [{ language: DEFAULT, text: subject.everywhere }] } : subject;
  return { ...rest, subject: localized, bcc: [...bcc], attachments: [...attachments] };
}

const contentOf = (given: GivenContent, liveActivity: LiveActivity | undefined) => ({
  ...given,
  email: emailOf(given),
  settings: [...(given.settings ?? [])],
  liveActivity,
});

const conditionsOf = ({ recipients }: Notification) =>
  recipients.kind === 'conditions'
    ? {
        conditions: JSON.stringify(recipients.conditions.map(({ tag, operator, operand }) => [tag, operator, operand])),
        conditionsOperator: recipients.operator,
      }
    : {};

function datesOf({ sendAt: date }: Notification): { sendAt?: Date; localTime?: LocalTime } {
  if (!date) return {};
  const { at, localAt, pastOffsets = 'SEND_IMMEDIATELY' } = date;
  if (!localAt) return { sendAt: at };
  return {
    sendAt: at,
    localTime: { wallAt: localAt, defaultAt: at, pastOffsets: PastOffsets[`PAST_OFFSETS_${pastOffsets}`] },
  };
}

const UNRATED: ReadonlySet<string> = new Set([
  'devices',
  'hwids',
  'pushTokens',
  'contacts',
  'testDevices',
] satisfies Notification['recipients']['kind'][]);

/** Pushes a second; 0 = any. The rate of a preset does not apply to named devices (R-I11, R-K4). */
function sendRateOf({ sendRate: { value, avoid }, recipients: { kind } }: Notification) {
  const isUnrated = avoid || UNRATED.has(kind);
  return { sendRate: isUnrated ? 0 : (value ?? 0), ignoresPresetRate: isUnrated || value !== undefined };
}

/** That of the e-mail, if it has its own (R-E16). */
const shownPresetOf = ({ preset, platformPresets }: Notification): string =>
  platformPresets?.find(({ platform }) => platform === Platform.Email)?.code ?? preset ?? '';

export function messageRequest(notification: Notification, options: MessageOptions): MessageRequest {
  const { recipients, content, circle, platforms, capping } = notification;
  const { isAlwaysStored = false, isEmail = false, isCapped = false } = options;
  const listedRecipients = 'names' in recipients;
  const { sendRate, ignoresPresetRate } = sendRateOf(notification);
  const { subject } = content.email ?? {};
  return MessageRequest.fromPartial({
    message: {
      ...datesOf(notification),
      source: isEmail ? 'EMAIL_API' : 'API',
      transactional: notification.transactional,
      hidden: listedRecipients && recipients.names.length < HISTORY_FROM && !isAlwaysStored,
      listedRecipients,
      content: contentOf(content, options.liveActivity),
      ...conditionsOf(notification),
      preset: shownPresetOf(notification),
      capping: capping.cap,
      cappingExclude: capping.exclude,
      cappingAvoid: capping.avoid,
      capped: isCapped,
      sendRate,
    },
    transactionId: notification.transactionId,
    recipients: recipientsOf(notification, options.bySiblings ?? false),
    platforms: platforms && { platforms: [...platforms] },
    circle,
    preset: notification.preset,
    platformPresets: (notification.platformPresets ?? []).map(({ platform, code }) => ({ platform, code })),
    needsEmailPreset: options.hasEmailPreset ?? false,
    campaign: notification.campaign,
    campaignName: notification.campaignName,
    replacesAction: content.replacesAction ?? false,
    shortenLink: content.shortenLink,
    actionsToShorten: [...(content.actionsToShorten ?? [])],
    ignoresPresetRate,
    hasOneSubject: subject !== undefined && 'everywhere' in subject,
    withoutUrlArgs: content.safari.urlArgs?.length === 0,
    withoutSettings: content.settings?.length === 0,
    unknownContacts: options.unknownContacts ?? UnknownContacts.UNKNOWN_CONTACTS_UNSPECIFIED,
    unregistrable: [...(options.unregistrable ?? [])],
  });
}

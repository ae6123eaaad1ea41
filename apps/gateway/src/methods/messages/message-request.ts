import type { GivenContent, Notification } from '@tidings/contract';
import { type LiveActivity, type LocalTime, PastOffsets } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { MessageRequest, UnknownContacts } from '@tidings/rpc';
import { recipientsOf } from './recipients.ts';

/** A message to fewer named recipients is hidden (R-I6). */
const HISTORY_FROM = 10;

export interface MessageOptions {
  readonly isAlwaysStored?: boolean;
  readonly bySiblings?: boolean;
  readonly liveActivity?: LiveActivity;
  readonly isEmail?: boolean;
  readonly hasEmailPreset?: boolean;
  readonly isCapped?: boolean;
  readonly unknownContacts?: UnknownContacts;
  readonly unregistrable?: readonly string[];
}

const DEFAULT = 'default';

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

function sendRateOf({ sendRate: { value, avoid }, recipients: { kind } }: Notification) {
  const isUnrated = avoid || UNRATED.has(kind);
  return { sendRate: isUnrated ? 0 : (value ?? 0), ignoresPresetRate: isUnrated || value !== undefined };
}

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

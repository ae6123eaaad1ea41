import type { SubscriptionSettings, WebhookEvent } from '@tidings/events';
import { EnqueuedKind } from '@tidings/events';
import { Platform, pushPlatforms } from '@tidings/kernel';

/** The endpoint of an account's events, and the selection of events (R-EV1). */
export interface Subscription {
  readonly id: string;
  readonly account: string;
  readonly settings: SubscriptionSettings;
  readonly createdAt: Date;
  /** Time of creation or of the last enabling: only later events are sent. */
  readonly since: Date;
  /** Absent unless failures of the subscriber have disabled it; enabling it again removes this. */
  readonly disabled?: DisabledSubscription | undefined;
}

export interface DisabledSubscription {
  /** The last failure. */
  readonly reason: string;
  readonly at: Date;
}

/** The fields of a change; undefined fields stay as they are. */
export type SubscriptionPatch = {
  readonly [Key in keyof SubscriptionSettings]?: SubscriptionSettings[Key] | undefined;
};

type SubscriptionChange = NonNullable<WebhookEvent['event']>;

/** The settings after a change. */
export const patched = (settings: SubscriptionSettings, patch: SubscriptionPatch): SubscriptionSettings => ({
  ...settings,
  ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
});

/** Events of a change; none if it changes nothing or the subscription does not exist. */
export function changeSubscription(
  subscription: Subscription | undefined,
  patch: SubscriptionPatch,
): readonly SubscriptionChange[] {
  if (!subscription) return [];
  const { id, settings } = subscription;
  const changed = patched(settings, patch);
  if (JSON.stringify(changed) === JSON.stringify(settings)) return [];
  return [{ $case: 'changed', value: { id, settings: changed } }];
}

/** Disables a subscription whose subscriber only fails; none if it is disabled already. */
export const disableSubscription = (
  subscription: Subscription | undefined,
  reason: string,
): readonly SubscriptionChange[] =>
  subscription?.settings.enabled ? [{ $case: 'disabled', value: { id: subscription.id, reason } }] : [];

export const deleteSubscription = (subscription: Subscription | undefined): readonly SubscriptionChange[] =>
  subscription ? [{ $case: 'deleted', value: { id: subscription.id } }] : [];

/** The subscription after an event; undefined once it is deleted. Later events change nothing. */
export function evolveSubscription(
  subscription: Subscription | undefined,
  { account, at, event }: WebhookEvent,
): Subscription | undefined {
  switch (event?.$case) {
    case 'created': {
      const { id, settings } = event.value;
      return { id, account, settings: settings!, createdAt: at!, since: at! };
    }
    case 'changed': {
      const settings = event.value.settings!;
      if (!subscription) return undefined;
      const enabled = settings.enabled && !subscription.settings.enabled;
      const { disabled, ...kept } = subscription;
      const stays = disabled && !settings.enabled ? { disabled } : {};
      return { ...kept, ...stays, settings, since: enabled ? at! : subscription.since };
    }
    case 'disabled': {
      if (!subscription) return undefined;
      const settings = { ...subscription.settings, enabled: false };
      return { ...subscription, settings, disabled: { reason: event.value.reason, at: at! } };
    }
    case 'deleted':
      return undefined;
    default:
      return subscription;
  }
}

const pushNames: Readonly<Partial<Record<EnqueuedKind, string>>> = {
  [EnqueuedKind.ENQUEUED_KIND_SENT]: 'Push Sent',
  [EnqueuedKind.ENQUEUED_KIND_DELIVERED]: 'Push Delivered',
  [EnqueuedKind.ENQUEUED_KIND_OPENED]: 'Push Opened',
  [EnqueuedKind.ENQUEUED_KIND_FAILED]: 'Push Failed',
};

/** The events of contacts have the names of their channels. */
const contactNames: Readonly<Partial<Record<number, typeof pushNames>>> = {
  [Platform.Sms]: {
    [EnqueuedKind.ENQUEUED_KIND_SENT]: 'SMS Sent',
    [EnqueuedKind.ENQUEUED_KIND_DELIVERED]: 'SMS Delivered',
    [EnqueuedKind.ENQUEUED_KIND_FAILED]: 'SMS Failed',
  },
  [Platform.WhatsApp]: {
    [EnqueuedKind.ENQUEUED_KIND_SENT]: 'WhatsApp Sent',
    [EnqueuedKind.ENQUEUED_KIND_DELIVERED]: 'WhatsApp Delivered',
    [EnqueuedKind.ENQUEUED_KIND_FAILED]: 'WhatsApp Failed',
  },
  [Platform.Line]: {
    [EnqueuedKind.ENQUEUED_KIND_SENT]: 'LINE Sent',
    [EnqueuedKind.ENQUEUED_KIND_FAILED]: 'LINE Failed',
  },
  [Platform.Kakao]: {
    [EnqueuedKind.ENQUEUED_KIND_SENT]: 'Kakao Sent',
    [EnqueuedKind.ENQUEUED_KIND_FAILED]: 'Kakao Failed',
  },
  [Platform.Email]: {
    [EnqueuedKind.ENQUEUED_KIND_SENT]: 'Email Sent',
    [EnqueuedKind.ENQUEUED_KIND_DELIVERED]: 'Email Delivered',
    [EnqueuedKind.ENQUEUED_KIND_FAILED]: 'Email Failed',
    [EnqueuedKind.ENQUEUED_KIND_BOUNCED]: 'Email Bounced',
    [EnqueuedKind.ENQUEUED_KIND_MAIL_OPENED]: 'Email Opened',
    [EnqueuedKind.ENQUEUED_KIND_MAIL_CLICKED]: 'Email Clicked',
    [EnqueuedKind.ENQUEUED_KIND_MAIL_UNSUBSCRIBED]: 'Email Unsubscribed',
    [EnqueuedKind.ENQUEUED_KIND_MAIL_COMPLAINED]: 'Email Complained',
  },
};

/** The events of inboxes have no channel: an entry is for every device of a user. */
const inboxNames: Readonly<Partial<Record<EnqueuedKind, string>>> = {
  [EnqueuedKind.ENQUEUED_KIND_INBOX_DELIVERED]: 'Inbox Delivered',
  [EnqueuedKind.ENQUEUED_KIND_INBOX_READ]: 'Inbox Read',
  [EnqueuedKind.ENQUEUED_KIND_INBOX_OPENED]: 'Inbox Opened',
  [EnqueuedKind.ENQUEUED_KIND_INBOX_DELETED]: 'Inbox Deleted',
};

/** Whether events of this name have what was handed to a provider. */
export const ofSent = (name: string): boolean => name.endsWith(' Sent');

const isPush: ReadonlySet<number> = new Set(pushPlatforms);

/** The name of an event (R-EV2); "" for unsupported ones. */
export const eventNameOf = (kind: EnqueuedKind, platform: number): string =>
  inboxNames[kind] ?? (isPush.has(platform) ? pushNames : contactNames[platform])?.[kind] ?? '';

const isAmong = <T>(wanted: readonly T[], one: T): boolean => wanted.length === 0 || wanted.includes(one);

/** Whether a subscription wants an event of devices of a platform. */
export const wants = (
  { events, applications, platforms, messageCodes, campaigns }: SubscriptionSettings,
  of: {
    readonly kind: EnqueuedKind;
    readonly platform: number;
    readonly application: string;
    readonly message: string;
  },
  /** The id of the message's campaign, in decimal; called for subscriptions to campaigns only. */
  campaign: () => string,
): boolean =>
  events.includes(eventNameOf(of.kind, of.platform)) &&
  isAmong(applications, of.application) &&
  isAmong(platforms, of.platform) &&
  isAmong(messageCodes, of.message) &&
  (campaigns.length === 0 || campaigns.some(({ id }) => id === campaign()));

import type { SubscriptionSettings, WebhookEvent } from '@tidings/events';
import { EnqueuedKind } from '@tidings/events';
import { Platform, pushPlatforms } from '@tidings/kernel';

export interface Subscription {
  readonly id: string;
  readonly account: string;
  readonly settings: SubscriptionSettings;
  readonly createdAt: Date;
  /** Only later events are sent. */
  readonly since: Date;
  readonly disabled?: DisabledSubscription | undefined;
}

export interface DisabledSubscription {
  readonly reason: string;
  readonly at: Date;
}

export type SubscriptionPatch = {
  readonly [Key in keyof SubscriptionSettings]?: SubscriptionSettings[Key] | undefined;
};

type SubscriptionChange = NonNullable<WebhookEvent['event']>;

export const patched = (settings: SubscriptionSettings, patch: SubscriptionPatch): SubscriptionSettings => ({
  ...settings,
  ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
});

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

export const disableSubscription = (
  subscription: Subscription | undefined,
  reason: string,
): readonly SubscriptionChange[] =>
  subscription?.settings.enabled ? [{ $case: 'disabled', value: { id: subscription.id, reason } }] : [];

export const deleteSubscription = (subscription: Subscription | undefined): readonly SubscriptionChange[] =>
  subscription ? [{ $case: 'deleted', value: { id: subscription.id } }] : [];

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

const inboxNames: Readonly<Partial<Record<EnqueuedKind, string>>> = {
  [EnqueuedKind.ENQUEUED_KIND_INBOX_DELIVERED]: 'Inbox Delivered',
  [EnqueuedKind.ENQUEUED_KIND_INBOX_READ]: 'Inbox Read',
  [EnqueuedKind.ENQUEUED_KIND_INBOX_OPENED]: 'Inbox Opened',
  [EnqueuedKind.ENQUEUED_KIND_INBOX_DELETED]: 'Inbox Deleted',
};

export const ofSent = (name: string): boolean => name.endsWith(' Sent');

const isPush: ReadonlySet<number> = new Set(pushPlatforms);

export const eventNameOf = (kind: EnqueuedKind, platform: number): string =>
  inboxNames[kind] ?? (isPush.has(platform) ? pushNames : contactNames[platform])?.[kind] ?? '';

const isAmong = <T>(filter: readonly T[], one: T): boolean => filter.length === 0 || filter.includes(one);

export const isSubscribedTo = (
  { events, applications, platforms, messageCodes, campaigns }: SubscriptionSettings,
  of: {
    readonly kind: EnqueuedKind;
    readonly platform: number;
    readonly application: string;
    readonly message: string;
  },
  campaign: () => string,
): boolean =>
  events.includes(eventNameOf(of.kind, of.platform)) &&
  isAmong(applications, of.application) &&
  isAmong(platforms, of.platform) &&
  isAmong(messageCodes, of.message) &&
  (campaigns.length === 0 || campaigns.some(({ id }) => id === campaign()));

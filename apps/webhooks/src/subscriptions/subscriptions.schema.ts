import { defineStates } from '@tidings/event-store';
import type { SubscriptionCampaign, SubscriptionSettings } from '@tidings/events';
import { bytes, date, defineModel, flag, list, mixed, number, object, optional, text } from '@tidings/mongo';
import type { Binary } from 'mongodb';
import type { DisabledSubscription } from './subscription.ts';
import { type SubscriptionDocument, SUBSCRIPTIONS } from '../webhook-log.ts';

export const subscriptionsModel = defineStates<SubscriptionDocument>({
  name: SUBSCRIPTIONS,
  retention: 'until it is deleted',
  fields: {
    account: optional(text),
    settings: optional(
      object<SubscriptionSettings>({
        endpoint: text,
        events: list(text),
        applications: list(text),
        platforms: list(number),
        messageCodes: list(text),
        enabled: flag,
        format: optional(number),
        campaigns: list(object<SubscriptionCampaign>({ code: text, id: text, _unknownFields: optional(mixed) })),
        _unknownFields: optional(mixed),
      }),
    ),
    createdAt: optional(date),
    since: optional(date),
    disabled: optional(object<DisabledSubscription>({ reason: text, at: date })),
    deleted: optional(flag),
  },
});

export interface SecretsDocument {
  readonly _id: string;
  /** Newest first; it never stops to sign. */
  readonly sealed: readonly { readonly box: Binary | Uint8Array; readonly until?: Date }[];
  readonly version: number;
  readonly createdAt: Date;
}

/** No event or reply may contain secrets. */
export const secretsModel = defineModel<SecretsDocument>({
  name: 'secrets',
  retention: 'with the subscription',
  fields: {
    _id: text,
    sealed: list(object<SecretsDocument['sealed'][number]>({ box: bytes, until: optional(date) })),
    version: number,
    createdAt: date,
  },
});

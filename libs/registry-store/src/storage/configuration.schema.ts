import type {
  Account,
  Application,
  MailSender,
  PlatformSettings,
  Senders,
  TagState,
  TestDevice,
  TestDevicesState,
} from '@tidings/audience';
import { defineStates } from '@tidings/event-store';
import { bytes, date, flag, list, number, object, oneOf, optional, record, text } from '@tidings/mongo';
import { ACCOUNTS, APPLICATIONS, TAGS, TEST_DEVICES } from '../configuration/collection-names.ts';

export const accountsModel = defineStates<Account>({
  name: ACCOUNTS,
  retention: 'for ever',
  fields: {
    kind: oneOf('account'),
    name: text,
    createdAt: date,
    categories: optional(list(text)),
    emailOnly: optional(flag),
    senders: optional(object<Senders>({ required: flag, verified: list(text) })),
    tagsMade: number,
    tagsDeleted: number,
    clearing: list(number),
  },
  indexes: [{ name: 'created', key: { createdAt: 1, _id: 1 } }],
});

const mailbox = object<MailSender['from']>({ address: text, name: text });

export const applicationsModel = defineStates<Application>({
  name: APPLICATIONS,
  retention: 'for ever; a deleted application as its code, which is not reused',
  fields: {
    kind: oneOf('application'),
    account: text,
    code: text,
    title: text,
    icon: text,
    sdkIos: text,
    sdkAndroid: text,
    authorizeAllTokens: flag,
    debugUntil: optional(date),
    platforms: list(
      object<PlatformSettings>({
        platform: number,
        enabled: flag,
        credentialVersion: number,
        settings: record(text),
        sealed: record(bytes),
        configuredAt: optional(date),
      }),
    ),
    controlBuckets: optional(number),
    capping: optional(object<NonNullable<Application['capping']>>({ days: number, count: number })),
    atMostOnce: optional(flag),
    trackingOff: optional(flag),
    inboxTokenRequired: optional(flag),
    testDeviceTokenRequired: optional(flag),
    mailSenders: optional(list(object<MailSender>({ since: date, from: mailbox, replyTo: mailbox }))),
    createdAt: date,
    deletedAt: optional(date),
    purgedAt: optional(date),
  },
  indexes: [
    { name: 'account_created', key: { account: 1, createdAt: 1, _id: 1 } },
    { name: 'icon', key: { icon: 1 } },
    { name: 'deleted', key: { deletedAt: 1 }, partialFilterExpression: { deletedAt: { $exists: true } } },
  ],
});

export const tagsModel = defineStates<TagState>({
  name: TAGS,
  retention: 'for ever; a deleted tag as its number',
  fields: {
    kind: oneOf('tag'),
    account: text,
    number,
    name: text,
    type: number,
    applicationSpecific: flag,
    deleted: flag,
  },
  indexes: [{ name: 'account_number', key: { account: 1, number: 1 } }],
});

export const testDevicesModel = defineStates<TestDevicesState>({
  name: TEST_DEVICES,
  retention: 'with the application',
  fields: {
    kind: oneOf('testDevices'),
    account: text,
    application: text,
    devices: list(
      object<TestDevice>({
        pushToken: text,
        platform: number,
        name: text,
        description: text,
        language: optional(text),
        unconfirmed: optional(flag),
        position: optional(number),
      }),
    ),
    nextPosition: optional(number),
  },
});

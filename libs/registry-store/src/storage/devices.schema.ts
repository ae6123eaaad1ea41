import type { ActivityToken, SelfReportedState, TagEntry } from '@tidings/audience';
import { defineStates } from '@tidings/event-store';
import { flag, list, mixed, number, object, optional, text } from '@tidings/mongo';
import { type DeviceDocument, deviceIndexes, DEVICES } from '../devices/device-document.ts';

/** Partial: most devices lack the field, and each key has a cost. */
const present = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } });

type Place = NonNullable<SelfReportedState['place']>;

const self = object<SelfReportedState>({
  open: optional(number),
  badge: optional(number),
  setBadges: optional(number),
  badgeOf: optional(text),
  tokenAt: optional(number),
  place: optional(object<Place>({ lat: number, lng: number, at: number })),
});

export const devicesModel = defineStates<Omit<DeviceDocument, 'rev'>>({
  name: DEVICES,
  retention: 'until it is erased; its number with the application',
  isGuarded: true,
  fields: {
    account: text,
    app: text,
    hwidHash: text,
    seq: number,
    status: number,
    hwid: optional(text),
    platform: optional(number),
    token: optional(text),
    th: optional(text),
    ta: optional(number),
    user: optional(text),
    userId: optional(text),
    lang: optional(text),
    tz: optional(number),
    alerts: optional(flag),
    cg: optional(number),
    tags: optional(list(object<TagEntry>({ k: number, v: mixed, s: optional(text) }))),
    idfa: optional(text),
    publicKey: optional(text),
    authToken: optional(text),
    fcmToken: optional(text),
    fcmPushSet: optional(text),
    adoptByToken: optional(flag),
    startToken: optional(text),
    activities: optional(list(object<ActivityToken>({ k: text, id: text, token: text }))),
    owners: optional(list(object<{ user: string; from: number }>({ user: text, from: number }))),
    createdAt: optional(number),
    self: optional(self),
  },
  indexes: [
    { name: deviceIndexes.seq, key: { app: 1, seq: 1 } },
    { name: deviceIndexes.tags, key: { app: 1, 'tags.k': 1, 'tags.v': 1, seq: 1 } },
    { name: deviceIndexes.token, key: { app: 1, th: 1 }, ...present('th') },
    { name: deviceIndexes.owners, key: { app: 1, 'owners.user': 1 }, ...present('owners.user') },
    { name: deviceIndexes.timezone, key: { app: 1, tz: 1, seq: 1 }, ...present('tz') },
    { name: deviceIndexes.hwidHash, key: { hwidHash: 1 } },
    { name: deviceIndexes.activity, key: { app: 1, 'self.open': 1, seq: 1 }, ...present('self.open') },
    { name: deviceIndexes.activities, key: { app: 1, 'activities.k': 1, seq: 1 }, ...present('activities.k') },
  ],
});

import { hash } from 'node:crypto';
import { DENIED, type Device, deviceIdOf, hwidHashOf, lastActivity, tokenTime } from '@tidings/audience';
import { addressTexts, tokenText } from '@tidings/channels';
import { Fault, phoneNumberOf, Platform, whatsAppHwidOf } from '@tidings/kernel';
import { type DeviceDocument, deviceIndexes, DEVICES, testDevicesOf } from '@tidings/registry-store';
import type { DeviceRecord, DeviceRegistration, Devices, FindDevicesRequest } from '@tidings/rpc';
import type { Collection } from 'mongodb';
import type { AccountStore } from '../../accounts/account-store.ts';
import { addressHashes, tokenHash } from '../../identities/identity-keys.ts';
import type { DevicesDeps } from '../commands/apply.ts';
import { deviceOf } from '../storage/stored-device.ts';
import { devicesOfUsers } from './devices-of-users.ts';
import { byToken } from './named.ts';
import { shownTags, tagSetOf, tagsReply } from './shown-tags.ts';
import { resolveContacts } from './target-contacts.ts';

export interface FindDevicesDeps extends DevicesDeps {
  readonly store: Pick<AccountStore, 'applications'>;
}

const MAX_DEVICES = 100;
const MAX_REGISTRATIONS = 100;

const dateOf = (time: number | null | undefined): Date | undefined => (time ? new Date(time) : undefined);

type Documents = readonly DeviceDocument[];

async function documentsOf(
  { account, application, by }: FindDevicesRequest,
  devices: Collection<DeviceDocument>,
  keys: DevicesDeps['keys'],
): Promise<Documents> {
  const idOf = (hwid: string): string => deviceIdOf(application, hwidHashOf(keys.device, account, hwid));
  const withId = (hwids: readonly string[]) => devices.find({ _id: { $in: hwids.map(idOf) } }).toArray();
  const withToken = (hashes: readonly string[]) =>
    devices
      .find({ app: application, th: { $in: [...hashes] } }, { hint: deviceIndexes.token, limit: MAX_DEVICES + 1 })
      .toArray();
  switch (by?.$case) {
    case 'hwid': {
      const given = { account, application, hwid: by.value };
      return withId([(await resolveContacts([given], { devices, keys })).get(given) ?? by.value]);
    }
    case 'userId':
      return devicesOfUsers(devices, application, [hwidHashOf(keys.device, account, by.value)], undefined, MAX_DEVICES);
    case 'pushToken': {
      const found = await byToken([by.value], { devices, keys, account, application });
      return withId(found.flatMap(({ hwid, names }) => (names.length > 0 ? [hwid] : [])));
    }
    case 'email': {
      const [holders, contacts] = await Promise.all([
        withToken(addressHashes(keys.token, by.value)),
        withId(addressTexts(by.value)),
      ]);
      const named = contacts.filter(({ th }) => th === undefined);
      return [...holders, ...named].filter(({ platform }) => platform === Platform.Email);
    }
    case 'phone': {
      const number = phoneNumberOf(by.value) ?? by.value;
      const [holders, contacts] = await Promise.all([
        withToken([tokenHash(keys.token, number)]),
        withId([number, whatsAppHwidOf(number) ?? number]),
      ]);
      const platforms: readonly number[] = [Platform.Sms, Platform.WhatsApp];
      return [...holders, ...contacts].filter(({ platform }) => platforms.includes(platform));
    }
    case undefined:
      throw Fault.bug('a search without a name');
  }
}

async function registrationsOf(
  found: readonly Device[],
  devices: Collection<DeviceDocument>,
  store: FindDevicesDeps['store'],
): Promise<ReadonlyMap<string, DeviceRegistration[]>> {
  const siblings = await devices
    .find(
      { hwidHash: { $in: found.map(({ hwidHash }) => hwidHash) }, status: 1 },
      {
        projection: { _id: 0, hwidHash: 1, app: 1, platform: 1, th: 1, createdAt: 1 },
        hint: deviceIndexes.hwidHash,
        limit: MAX_DEVICES * MAX_REGISTRATIONS,
      },
    )
    .toArray();
  const applications = await store.applications([...new Set(siblings.map(({ app }) => app))]);
  const codes = new Set(applications.map(({ code }) => code));
  const present = siblings.filter(({ app }) => codes.has(app)).sort((a, b) => a.createdAt - b.createdAt);
  const byHash = Map.groupBy(present, ({ hwidHash }) => hwidHash);
  return new Map(
    [...byHash].map(([hwidHash, of]) => [
      hwidHash,
      of.slice(0, MAX_REGISTRATIONS).map(({ app, platform, th, createdAt }) => ({
        application: app,
        platform,
        hasToken: th !== undefined,
        createdAt: new Date(createdAt),
      })),
    ]),
  );
}

const recordOf = (device: Device): Omit<DeviceRecord, 'integers' | 'registrations' | 'tags' | 'testDevice'> => ({
  seq: device.seq,
  hwid: device.hwid,
  userId: device.userId ?? device.hwid,
  platform: device.platform,
  tokenHash: device.token === undefined ? '' : hash('sha256', tokenText(device.platform, device.token)),
  language: device.lang ?? '',
  timezoneSeconds: device.tz,
  notifications: device.alerts,
  createdAt: new Date(device.createdAt),
  tokenSetAt: dateOf(tokenTime(device)),
  openedAt: dateOf(device.self?.open),
});

export function findDevicesRpc({ db, keys, owners, tags, store }: FindDevicesDeps): Pick<Devices, 'find'> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  return {
    async find(request) {
      const { account, application } = request;
      await owners.learn([application]);
      if (!owners.owns(account, application)) throw Fault.argument(DENIED);
      const documents = await documentsOf(request, devices, keys);
      const distinct = [...new Map(documents.map((document) => [document._id, document])).values()];
      const present = distinct.filter(({ status }) => status === 1).map(deviceOf);
      const found = present.toSorted((a, b) => lastActivity(b) - lastActivity(a)).slice(0, MAX_DEVICES);
      if (found.length === 0) return { devices: [], more: false };
      const [set, registrations, testDevices] = await Promise.all([
        tagSetOf(found, account, tags),
        registrationsOf(found, devices, store),
        testDevicesOf(db, application),
      ]);
      const testTokens = new Set([...testDevices.values()].map((each) => `${each.platform}:${each.pushToken}`));
      return {
        devices: found.map((device) => ({
          ...recordOf(device),
          ...tagsReply(shownTags(device, set)),
          testDevice:
            device.token !== undefined &&
            testTokens.has(`${device.platform}:${tokenText(device.platform, device.token)}`),
          registrations: registrations.get(device.hwidHash) ?? [],
        })),
        more: present.length > MAX_DEVICES,
      };
    },
  };
}

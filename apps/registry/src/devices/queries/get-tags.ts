import {
  DENIED,
  type Device,
  deviceIdOf,
  entriesIn,
  lastActivity,
  outputOf,
  hwidHashOf,
  type TagOutput,
  valueOf,
} from '@tidings/audience';
import { Fault } from '@tidings/kernel';
import { type TagSet, type DeviceDocument, DEVICES, tagFields } from '@tidings/registry-store';
import type { Devices } from '@tidings/rpc';
import type { DevicesDeps } from '../commands/apply.ts';
import { resolveContacts } from './target-contacts.ts';
import { devicesOfUsers } from './devices-of-users.ts';
import { deviceOf } from '../storage/stored-device.ts';

function shownTags(device: Device, tags: TagSet): [name: string, value: TagOutput][] {
  const numbers = new Set([...tagFields.keys(), ...device.tags.map(({ k }) => k)]);
  return [...numbers].flatMap((number): [string, TagOutput][] => {
    const tag = tags.numbered(number);
    const value = tag && valueOf(tag.type, entriesIn(device, number));
    return tag && value ? [[tag.name, outputOf(value)]] : [];
  });
}

/** The most recently active device decides (R-C6). */
const merged = (devices: readonly Device[], tags: TagSet): ReadonlyMap<string, TagOutput> =>
  new Map(devices.toSorted((a, b) => lastActivity(a) - lastActivity(b)).flatMap((device) => shownTags(device, tags)));

export function getTagsRpc({ db, keys, owners, tags }: DevicesDeps): Pick<Devices, 'getTags'> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  return {
    async getTags(request) {
      const { account, application, userId } = request;
      await owners.learn([application]);
      if (!owners.owns(account, application)) throw Fault.argument(DENIED);
      const hwid = (await resolveContacts([request], { devices, keys })).get(request) ?? request.hwid;
      const hwidHash = hwidHashOf(keys.device, account, hwid || userId);
      const found =
        hwid === ''
          ? await devicesOfUsers(devices, application, [hwidHash])
          : await devices.find({ _id: deviceIdOf(application, hwidHash) }).toArray();
      const registered = found.filter(({ status }) => status === 1).map(deviceOf);
      if (registered.length === 0) throw Fault.argument(hwid === '' ? 'User not found' : 'Device not found');
      const numbers = registered.flatMap((device) => device.tags.map(({ k }) => k));
      const set = await tags.of(account);
      const current = numbers.every((number) => set.numbered(number)) ? set : await tags.read(account);
      const shown = [...merged(registered, current)];
      const integers = shown.filter((entry): entry is [string, bigint] => typeof entry[1] === 'bigint');
      const others = integers.length === 0 ? shown : shown.filter(([, value]) => typeof value !== 'bigint');
      return { tags: Object.fromEntries(others), integers: Object.fromEntries(integers) };
    },
  };
}

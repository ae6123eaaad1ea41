import { DENIED, type Device, deviceIdOf, hwidHashOf, lastActivity, type TagOutput } from '@tidings/audience';
import { Fault } from '@tidings/kernel';
import { type DeviceDocument, DEVICES, type TagSet } from '@tidings/registry-store';
import type { Devices } from '@tidings/rpc';
import type { DevicesDeps } from '../commands/apply.ts';
import { shownTags, tagSetOf, tagsReply } from './shown-tags.ts';
import { resolveContacts } from './target-contacts.ts';
import { devicesOfUsers } from './devices-of-users.ts';
import { deviceOf } from '../storage/stored-device.ts';

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
      const current = await tagSetOf(registered, account, tags);
      return tagsReply([...merged(registered, current)]);
    },
  };
}

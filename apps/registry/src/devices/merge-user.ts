import {
  DENIED,
  type Device,
  type DeviceAction,
  deviceIdOf,
  deviceLogOf,
  FIRST_OWN_TAG,
  lastActivity,
  type NewUser,
  personOf,
  type TagEntry,
  type TagWrite,
  valueOf,
} from '@tidings/audience';
import { Fault } from '@tidings/kernel';
import type { Devices } from '@tidings/rpc';
import type { TagSet } from '../tags/tags.ts';
import type { DevicesDeps } from './apply.ts';
import { type DeviceDocument, deviceOf, DEVICES } from './document.ts';
import { devicesOfUsers } from './users.ts';

const ownTags = (device: Device): readonly TagEntry[] => device.tags.filter(({ k }) => k >= FIRST_OWN_TAG);

/** Writes of the tags that some of `from` have and none of `to`; of several values that of the device used last. */
function missingTags(from: readonly Device[], to: readonly Device[], tags: TagSet): TagWrite[] {
  const known = new Set(to.flatMap(ownTags).map(({ k }) => k));
  const values = new Map<number, readonly TagEntry[]>();
  for (const device of from.toSorted((a, b) => lastActivity(a) - lastActivity(b))) {
    for (const [k, entries] of Map.groupBy(ownTags(device), (entry) => entry.k)) values.set(k, entries);
  }
  return [...values].flatMap(([k, entries]): TagWrite[] => {
    const tag = tags.numbered(k);
    const value = tag && !known.has(k) ? valueOf(tag.type, entries) : undefined;
    return tag && value ? [{ tag, operation: 'set', value }] : [];
  });
}

/** Devices of one user become another's, or their own (R-X2). Tags go first, so that a repeat after a crash finds what is left to do. */
export function mergeUserRpc({ db, clock, keys, owners, tags, logs }: DevicesDeps): Pick<Devices, 'mergeUser'> {
  const devices = db.collection<DeviceDocument>(DEVICES);

  const submit = async ({ account, app: application, person, hwid }: Device, action: DeviceAction): Promise<void> => {
    const identity = { account, application, person, hwid };
    const command = { identity, id: deviceIdOf(application, person), action, at: new Date(clock.now()) };
    try {
      await logs.submit(deviceLogOf(person), command);
    } catch (error) {
      // It was erased since it was read.
      if (!(error instanceof Fault) || error.kind !== 'argument') throw error;
    }
  };
  const bind = (device: Device, user: NewUser): Promise<void> => submit(device, { type: 'bindUser', user, writes: [] });

  return {
    async mergeUser({ account, application, oldUserId, newUserId, merge }) {
      await owners.learn([application]);
      if (!owners.owns(account, application)) throw Fault.argument(DENIED);
      const hashOf = (user: string): string => personOf(keys.device, account, user);
      const devicesOf = async (user: string): Promise<Device[]> =>
        (await devicesOfUsers(devices, application, [hashOf(user)])).map(deviceOf);
      if (oldUserId === newUserId) return {};
      const moving = await devicesOf(oldUserId);
      if (!merge) {
        await Promise.all(moving.map((device) => bind(device, { id: device.hwid, hash: device.person })));
        return {};
      }
      const receiving = await devicesOf(newUserId);
      const writes = missingTags(moving, receiving, await tags.read(account));
      if (writes.length > 0) {
        await Promise.all(receiving.map((device) => submit(device, { type: 'setTags', writes })));
      }
      await Promise.all(moving.map((device) => bind(device, { id: newUserId, hash: hashOf(newUserId) })));
      return {};
    },
  };
}

import {
  defaultTags,
  DENIED,
  type Device,
  type DeviceAction,
  deviceIdOf,
  deviceLogOf,
  FIRST_OWN_TAG,
  keyedId,
  lastActivity,
  type NewUser,
  hwidHashOf,
  type TagEntry,
  type TagWrite,
  valueOf,
} from '@tidings/audience';
import { Fault } from '@tidings/kernel';
import { type TagSet, type DeviceDocument, deviceIndexes, DEVICES } from '@tidings/registry-store';
import type { Devices, MergeUserRequest } from '@tidings/rpc';
import type { DevicesDeps } from './apply.ts';
import type { InboxStates } from '../../entry-states/entry-states.ts';
import { usedKeys } from '../storage/used-keys.ts';
import { devicesOfUsers } from '../queries/devices-of-users.ts';
import { deviceOf } from '../storage/stored-device.ts';

const personalTags: ReadonlySet<number> = new Set(
  [
    defaultTags.country,
    defaultTags.city,
    defaultTags.inAppProduct,
    defaultTags.inAppPurchase,
    defaultTags.lastInAppPurchaseDate,
  ].map(({ number }) => number),
);

const ownTags = (device: Device): readonly TagEntry[] =>
  device.tags.filter(({ k }) => k >= FIRST_OWN_TAG || personalTags.has(k));

/** The most recently used device decides. */
function missingTags(from: readonly Device[], to: readonly Device[], tags: TagSet): TagWrite[] {
  const targetTags = new Set(to.flatMap(ownTags).map(({ k }) => k));
  const values = new Map<number, readonly TagEntry[]>();
  for (const device of from.toSorted((a, b) => lastActivity(a) - lastActivity(b))) {
    for (const [k, entries] of Map.groupBy(ownTags(device), (entry) => entry.k)) values.set(k, entries);
  }
  return [...values].flatMap(([k, entries]): TagWrite[] => {
    const tag = tags.numbered(k);
    const value = tag && !targetTags.has(k) ? valueOf(tag.type, entries) : undefined;
    return tag && value ? [{ tag, operation: 'set', value }] : [];
  });
}

/** Writes tags first, so that a repeat after a crash finds the remaining work (R-X2). */
export function mergeUserRpc({
  db,
  clock,
  keys,
  owners,
  tags,
  logs,
  inboxes,
}: DevicesDeps & { readonly inboxes: InboxStates }): Pick<Devices, 'mergeUser'> {
  const devices = db.collection<DeviceDocument>(DEVICES);

  const submit = async ({ account, app: application, hwidHash, hwid }: Device, action: DeviceAction): Promise<void> => {
    const identity = { account, application, hwidHash, hwid };
    const command = { identity, id: deviceIdOf(application, hwidHash), action, at: new Date(clock.now()) };
    try {
      await logs.submit(deviceLogOf(hwidHash), command);
    } catch (error) {
      // The device was erased after it was read.
      if (!(error instanceof Fault) || error.kind !== 'argument') throw error;
    }
  };
  const bind = (device: Device, user: NewUser): Promise<void> => submit(device, { type: 'bindUser', user, writes: [] });

  const moveInbox = async (app: string, from: string, to: string): Promise<void> => {
    const [byOwner, byHwid] = await Promise.all([
      devices.find({ app, 'owners.user': from }, { hint: deviceIndexes.owners }).toArray(),
      devices.find({ _id: deviceIdOf(app, from), status: 1, owners: { $exists: false } }).toArray(),
    ]);
    await Promise.all(
      [...byOwner, ...byHwid].map((device) => submit(deviceOf(device), { type: 'replaceOwner', from, to })),
    );
    await inboxes.moveStates(app, from, to, new Date(clock.now()));
  };

  const merge = async ({
    account,
    application,
    oldUserId,
    newUserId,
    merge: isMerged,
  }: MergeUserRequest): Promise<void> => {
    const hashOf = (user: string): string => hwidHashOf(keys.device, account, user);
    const devicesOf = async (user: string): Promise<Device[]> =>
      (await devicesOfUsers(devices, application, [hashOf(user)])).map(deviceOf);
    const moving = await devicesOf(oldUserId);
    if (!isMerged) {
      await Promise.all(moving.map((device) => bind(device, { id: device.hwid, hash: device.hwidHash })));
      await moveInbox(application, hashOf(oldUserId), '');
      return;
    }
    if (oldUserId === newUserId) return;
    const receiving = await devicesOf(newUserId);
    const writes = missingTags(moving, receiving, await tags.read(account));
    if (writes.length > 0) {
      await Promise.all(receiving.map((device) => submit(device, { type: 'setTags', writes })));
    }
    await Promise.all(moving.map((device) => bind(device, { id: newUserId, hash: hashOf(newUserId) })));
    await moveInbox(application, hashOf(oldUserId), hashOf(newUserId));
  };

  /** Last, so that a repeat completes an interrupted merge. */
  const once = async (request: MergeUserRequest): Promise<void> => {
    const { account, application, oldUserId, idempotencyKey } = request;
    const hwidHash = hwidHashOf(keys.device, account, oldUserId);
    const key = keyedId(keys.device, application, hwidHash, 'mergeUser', idempotencyKey);
    const at = new Date(clock.now());
    if ((await usedKeys(db, [key], at)).has(key)) return;
    await merge(request);
    const identity = { account, application, hwidHash, hwid: '' };
    await logs.submit(deviceLogOf(hwidHash), {
      identity,
      id: deviceIdOf(application, hwidHash),
      at,
      key,
      action: { type: 'useKey' },
    });
  };

  return {
    async mergeUser(request) {
      await owners.learn([request.application]);
      if (!owners.owns(request.account, request.application)) throw Fault.argument(DENIED);
      await (request.idempotencyKey === '' ? merge(request) : once(request));
      return {};
    },
  };
}

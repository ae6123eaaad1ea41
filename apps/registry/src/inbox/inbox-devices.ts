import { type Device, deviceIdOf, hwidHashOf, isPresent } from '@tidings/audience';
import { type DeviceDocument, deviceIndexes } from '@tidings/registry-store';
import type { InboxOwner } from '@tidings/rpc';
import type { Collection } from 'mongodb';
import type { IdentityKeys } from '../identities/identity-keys.ts';
import { resolveContacts } from '../devices/queries/target-contacts.ts';
import { deviceOf } from '../devices/storage/stored-device.ts';

/** A user id shared by everybody must not cost without bound. */
const MAX_DEVICES = 1_000;

export interface InboxDevices {
  /** The user's own hash comes first (R-J2). */
  readonly owners: readonly string[];
  readonly devices: readonly Device[];
  readonly caller: Device | undefined;
}

const projection = {
  app: 1,
  account: 1,
  seq: 1,
  status: 1,
  hwidHash: 1,
  platform: 1,
  user: 1,
  owners: 1,
  createdAt: 1,
  lang: 1,
  tz: 1,
  alerts: 1,
  tags: 1,
  self: 1,
  th: 1,
  ta: 1,
} as const;

export async function inboxDevices(
  devices: Collection<DeviceDocument>,
  keys: IdentityKeys,
  owner: InboxOwner,
): Promise<InboxDevices> {
  const { account, application: app, userId } = owner;
  const hwid = (await resolveContacts([owner], { devices, keys })).get(owner) ?? owner.hwid;
  const user = hwidHashOf(keys.device, account, userId);
  const ownerHash = hwid === '' ? user : hwidHashOf(keys.device, account, hwid);
  const ids = [...new Set([user, ownerHash])].map((hash) => deviceIdOf(app, hash));
  const [byOwner, byHwid] = await Promise.all([
    devices
      .find({ app, 'owners.user': user }, { projection, hint: deviceIndexes.owners, limit: MAX_DEVICES })
      .toArray(),
    devices.find({ _id: { $in: ids } }, { projection }).toArray(),
  ]);
  const documents = new Map([...byOwner, ...byHwid].map((document) => [document._id, document]));
  const knownDevices = [...documents.values()].map((document) => ({ ...deviceOf(document), token: document.th }));
  const present = knownDevices.filter(isPresent);
  const caller = present.find(({ hwidHash, user: current }) => hwidHash === ownerHash && current === user);
  const owners = caller && ownerHash !== user ? [user, ownerHash] : [user];
  return { owners, devices: present.filter((device) => device.owners.some((of) => owners.includes(of.user))), caller };
}

import { deviceIdOf } from '@tidings/audience';
import { type DeviceDocument, deviceIndexes } from '@tidings/registry-store';
import type { Collection } from 'mongodb';

/** Includes devices whose hwid is the user id by default (R-RES3). @param users keyed hashes of (account, user id) */
export async function devicesOfUsers<Field extends keyof DeviceDocument>(
  devices: Collection<DeviceDocument>,
  app: string,
  users: readonly string[],
  fields?: readonly Field[],
  limit = 0,
): Promise<Pick<DeviceDocument, Field>[]> {
  const projection = fields && {
    _id: fields.includes('_id' as Field) ? 1 : 0,
    ...Object.fromEntries(fields.map((field) => [field, 1])),
  };
  const ids = users.map((user) => deviceIdOf(app, user));
  const found = await Promise.all([
    devices
      .find(
        { app, 'owners.user': { $in: [...users] }, user: { $in: [...users] } },
        { ...(projection && { projection }), hint: deviceIndexes.owners, ...(limit > 0 && { limit: limit + 1 }) },
      )
      .toArray(),
    devices
      .find({ _id: { $in: ids }, status: 1, user: { $exists: false } }, { ...(projection && { projection }) })
      .toArray(),
  ]);
  return found.flat();
}

import { expect, it } from '@jest/globals';
import { deviceIdOf, hwidHashOf } from '@tidings/audience';
import { createCollections } from '@tidings/mongo';
import { DEVICES } from '@tidings/registry-store';
import { identityKeysFrom } from '@tidings/runtime';
import { describeWithMongo } from '@tidings/testing';
import type { DevicesDeps } from '../commands/apply.ts';
import { deviceModels } from '../storage/devices.schema.ts';
import { MAX_OF_USERS, resolveRpc } from './resolve-devices.ts';

const application = 'AAAAA-00001';

describeWithMongo('resolveDevices', (mongo) => {
  it('refuses users with more devices than a reply holds, and answers fewer users', async () => {
    const { db } = mongo;
    await createCollections(db, deviceModels);
    const keys = identityKeysFrom(new Uint8Array(32));
    const insert = async (user: string, count: number, firstSeq: number): Promise<void> => {
      const hash = hwidHashOf(keys.device, 'a', user);
      const devices = Array.from({ length: count }, (_, i) => {
        const hwid = `${user}-${i}`;
        const named = { _id: deviceIdOf(application, hwid), app: application, hwid, hwidHash: hwid };
        return { ...named, user: hash, owners: [{ user: hash }], seq: firstSeq + i, status: 1 };
      });
      await db.collection<{ _id: string }>(DEVICES).insertMany(devices, { ordered: false });
    };
    await insert('many', MAX_OF_USERS, 10);
    await insert('few', 2, 0);
    const owners = { learn: () => Promise.resolve(), owns: () => true };
    const rpc = resolveRpc({ db, keys, owners } as unknown as DevicesDeps);
    const devicesOf = (...userIds: string[]) =>
      rpc.resolve({ account: 'a', application, userIds, pushTokens: [], hwids: [] });
    await expect(devicesOf('few', 'many')).rejects.toMatchObject({ kind: 'tooLarge' });
    expect((await devicesOf('many')).byUserId[0]!.names).toHaveLength(MAX_OF_USERS);
    const few = { names: ['few-0', 'few-1'] };
    expect((await devicesOf('few', 'nobody', 'few')).byUserId).toEqual([few, { names: [] }, few]);
  });
});

import { expect, it } from '@jest/globals';
import type { Offsets } from '@tidings/events';
import { seqOf } from '@tidings/kernel';
import { createCollections } from '@tidings/mongo';
import { type DeviceDocument, DEVICES, DeviceScan, devicesModel } from '@tidings/registry-store';
import { APP, around, device, even, named, selection } from '@tidings/registry-store/testing';
import { describeWithMongo, TestClock } from '@tidings/testing';
import { recipientsRpc } from './recipients.ts';

const HOUR = 3600;
const withoutOffset: Offsets = { ranges: [], without: true };

describeWithMongo('hasRecipients', (mongo) => {
  const devices = [0, 1].flatMap((chunk) =>
    Array.from({ length: 40 }, (_, i) => {
      const tz = [9, 1, -8, undefined][i % 4];
      return device(seqOf(chunk, i), tz === undefined ? {} : { tz: tz * HOUR });
    }),
  );

  it('reports whether an audience has devices with certain offsets', async () => {
    const { db } = mongo;
    await createCollections(db, [devicesModel]);
    await db.collection<DeviceDocument>(DEVICES).insertMany(devices);
    const { hasRecipients } = recipientsRpc({ scan: new DeviceScan(db), clock: new TestClock() });
    const among = [around(9), around(5, 2), around(2, 1), withoutOffset];
    const ask = async (audience = selection(), offsets = among) =>
      (
        await hasRecipients({
          queries: [{ applications: ['OTHER-00000', APP], audience, withoutToken: false, among: offsets }],
        })
      ).found[0]!.among;
    expect(await ask()).toEqual([true, false, true, true]);
    // Device 0 has +9 h; the even ones have that or -8 h.
    expect(await ask(named(0))).toEqual([true, false, false, false]);
    expect(await ask(selection(even))).toEqual([true, false, false, false]);
    expect(await ask({ ...selection(), platforms: [7] })).toEqual([false, false, false, false]);
    await db.collection<DeviceDocument>(DEVICES).updateMany({ tz: 9 * HOUR }, { $unset: { token: '' } });
    expect((await ask())[0]).toBe(false);
    expect((await ask(named(0)))[0]).toBe(true);
    await db.collection<DeviceDocument>(DEVICES).updateOne({ seq: seqOf(1, 0) }, { $set: { token: 'token' } });
    expect((await ask())[0]).toBe(true);
  });
});

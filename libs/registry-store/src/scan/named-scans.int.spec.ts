import { beforeAll, expect, it } from '@jest/globals';
import { createCollections } from '@tidings/mongo';
import { describeWithMongo } from '@tidings/testing';
import { type Collection, Decimal128 } from 'mongodb';
import { type DeviceDocument, DEVICES } from '../devices/device-document.ts';
import { devicesModel } from '../storage/devices.schema.ts';
import { APP, device } from '../testing/devices.ts';
import { Columns } from './columns.ts';
import { namedScans } from './named-scans.ts';

const COUNT = 40;
const OTHER = 'OOOOO-OTHER';

describeWithMongo('scans of named devices', (mongo) => {
  let devices: Collection<DeviceDocument>;
  let queries: number;
  let scan: ReturnType<typeof namedScans>;

  beforeAll(async () => {
    await createCollections(mongo.db, [devicesModel]);
    devices = mongo.db.collection<DeviceDocument>(DEVICES);
    await devices.insertMany(Array.from({ length: COUNT }, (_, seq) => device(seq)));
    await devices.insertOne({ ...device(1, { platform: 7 }), app: OTHER, _id: `${OTHER}:1` });
    queries = 0;
    const counted = { find: (...args: Parameters<typeof devices.find>) => (queries++, devices.find(...args)) };
    scan = namedScans(counted as unknown as Collection<DeviceDocument>);
  });

  const found = async (seqs: readonly number[], application = APP, badge = false): Promise<number[] | undefined> => {
    const columns = new Columns();
    try {
      await scan({ application, seqs, columns, scanFields: { badge } });
    } catch {
      return undefined;
    }
    return Array.from(columns.positions.subarray(0, columns.count)).sort((a, b) => a - b);
  };

  it('share a query by application and fields, and each returns its own devices', async () => {
    const scans = await Promise.all([
      found([0]),
      found([1, 2, 99]),
      found([2]),
      found([1], OTHER),
      found([3], APP, true),
      found([]),
    ]);
    expect(scans).toEqual([[0], [1, 2], [2], [1], [3], []]);
    expect(queries).toBe(3);
  });

  it('read a list that exceeds a query in several', async () => {
    queries = 0;
    expect(await found(Array.from({ length: 2500 }, (_, seq) => seq))).toHaveLength(COUNT);
    expect(queries).toBe(3);
  });

  it('fail only if they name a device that cannot be read', async () => {
    await devices.updateOne({ app: APP, seq: 7 }, { $set: { lang: Decimal128.fromString('1') as unknown as string } });
    expect(await Promise.all([found([6]), found([7, 8]), found([8])])).toEqual([[6], undefined, [8]]);
  });
});

import { expect, it } from '@jest/globals';
import { describeWithMongo } from '@tidings/testing';
import type { Db } from 'mongodb';
import { findOrphans } from './orphans.ts';

const testDevice = { pushToken: 'T', platform: 1, name: 'N', description: '' };
const at = new Date(0);

const states: Readonly<Record<string, readonly object[]>> = {
  applications: [
    { _id: 'GONE', account: 'a', deletedAt: at },
    { _id: 'LIVE', account: 'a' },
  ],
  groups: [
    { _id: 'ENDED', code: 'ENDED', applications: ['GONE'] },
    { _id: 'SHARED', code: 'SHARED', applications: ['GONE', 'LIVE'] },
  ],
  presets: [
    { _id: 'P1', code: 'P1', owner: 'GONE', deleted: false },
    { _id: 'P2', code: 'P2', owner: 'ENDED', deleted: false },
    { _id: 'P3', code: 'P3', owner: 'SHARED', deleted: false },
    { _id: 'P4', code: 'P4', owner: 'GONE', deleted: true },
  ],
  campaigns: [
    { _id: 'C1', code: 'C1', application: 'GONE', deleted: false },
    { _id: 'C2', code: 'C2', application: 'LIVE', deleted: false },
  ],
  filters: [
    { _id: 'a:1', name: 'one', application: 'GONE', live: true },
    { _id: 'a:2', name: 'two', application: 'GONE', live: false },
  ],
  geozones: [{ _id: '7', number: 7, application: 'GONE', deleted: false }],
  geozoneClusters: [{ _id: 'Z', application: 'GONE', deleted: false }],
};

describeWithMongo('findOrphans', (mongo) => {
  let databases = 0;
  const withStates = async (of: typeof states): Promise<Db> => {
    const db = mongo.database(`d${databases++}`);
    await Promise.all(Object.entries(of).map(([name, all]) => db.collection(name).insertMany(all as object[])));
    return db;
  };

  it('finds the configuration of a deleted application and of groups that ended with it', async () => {
    expect(await findOrphans(await withStates(states), 'GONE')).toEqual({
      presets: ['P1', 'P2'],
      campaigns: ['C1'],
      filters: ['one'],
      geozones: [7n],
      clusters: ['Z'],
    });
  });

  it('finds an application with test devices only, and none without test devices', async () => {
    const only = (devices: readonly object[]) =>
      withStates({ 'test-devices': [{ _id: 'GONE', application: 'GONE', devices }] });
    const none = { presets: [], campaigns: [], filters: [], geozones: [], clusters: [] };
    expect(await findOrphans(await only([testDevice]), 'GONE')).toEqual(none);
    expect(await findOrphans(await only([]), 'GONE')).toBeUndefined();
  });
});

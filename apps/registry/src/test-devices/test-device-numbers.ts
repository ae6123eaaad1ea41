import { seqOf, TEST_CHUNK } from '@tidings/kernel';
import { testDevicesOf } from '@tidings/registry-store';
import type { Db } from 'mongodb';
import type { Found } from '../devices/queries/named.ts';

export async function findTestDevices(db: Db, application: string): Promise<Found> {
  const devices = await testDevicesOf(db, application);
  return {
    seqs: new Set([...devices.keys()].map((position) => seqOf(TEST_CHUNK, position))),
    platforms: new Set([...devices.values()].map(({ platform }) => platform)),
    unknown: [],
  };
}

import type { TestDevice, TestDevicesState } from '@tidings/audience';
import { CHUNK_SIZE, seqOf, TEST_CHUNK } from '@tidings/kernel';
import { modelOf } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { testDevicesModel } from '../accounts/storage/accounts.schema.ts';
import type { Found } from '../devices/queries/named.ts';

/** The test devices of an application. The place of one in the list never changes, so it is its position in {@link TEST_CHUNK}. */
export async function testDevicesOf(db: Db, application: string): Promise<readonly TestDevice[]> {
  const found = await modelOf(db, testDevicesModel).findOne({ _id: application }).lean<TestDevicesState | null>();
  return found?.devices.slice(0, CHUNK_SIZE) ?? [];
}

/** The numbers of all test devices of an application, in the form of named devices. */
export async function findTestDevices(db: Db, application: string): Promise<Found> {
  const devices = await testDevicesOf(db, application);
  return {
    seqs: new Set(devices.map((_, position) => seqOf(TEST_CHUNK, position))),
    platforms: new Set(devices.map(({ platform }) => platform)),
    unknown: [],
  };
}

import { type TestDevice, testDevicePositions, type TestDevicesState } from '@tidings/audience';
import { CHUNK_SIZE, seqOf, TEST_CHUNK } from '@tidings/kernel';
import { modelOf } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { testDevicesModel } from '../accounts/storage/accounts.schema.ts';
import type { Found } from '../devices/queries/named.ts';

/** The test devices of an application that messages are sent to, by their positions in {@link TEST_CHUNK}, which never change. */
export async function testDevicesOf(db: Db, application: string): Promise<ReadonlyMap<number, TestDevice>> {
  const found = await modelOf(db, testDevicesModel).findOne({ _id: application }).lean<TestDevicesState | null>();
  const devices = found?.devices.slice(0, CHUNK_SIZE) ?? [];
  const placed = testDevicePositions(devices).map((position, index) => [position, devices[index]!] as const);
  return new Map(placed.filter(([, { unconfirmed }]) => !unconfirmed));
}

/** The numbers of all test devices of an application that messages are sent to, in the form of named devices. */
export async function findTestDevices(db: Db, application: string): Promise<Found> {
  const devices = await testDevicesOf(db, application);
  return {
    seqs: new Set([...devices.keys()].map((position) => seqOf(TEST_CHUNK, position))),
    platforms: new Set([...devices.values()].map(({ platform }) => platform)),
    unknown: [],
  };
}

import { type TestDevice, testDevicePositions, type TestDevicesState } from '@tidings/audience';
import { CHUNK_SIZE } from '@tidings/kernel';
import { modelOf } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { testDevicesModel } from '../storage/configuration.schema.ts';

/** By their positions in `TEST_CHUNK`, which never change. */
export async function testDevicesOf(db: Db, application: string): Promise<ReadonlyMap<number, TestDevice>> {
  const found = await modelOf(db, testDevicesModel).findOne({ _id: application }).lean<TestDevicesState | null>();
  const devices = found?.devices.slice(0, CHUNK_SIZE) ?? [];
  const placed = testDevicePositions(devices).map((position, index) => [position, devices[index]!] as const);
  return new Map(placed.filter(([, { unconfirmed }]) => !unconfirmed));
}

import { type DeviceDocument, DEVICES } from '@tidings/registry-store';
import type { Db } from 'mongodb';
import type { SelfReportedReader } from '../commands/device-log.ts';

export const openSelfReported =
  (db: Db): SelfReportedReader =>
  async (ids) => {
    const found = await db
      .collection<DeviceDocument>(DEVICES)
      .find({ _id: { $in: [...ids] } }, { projection: { self: 1 } })
      .toArray();
    return new Map(found.flatMap(({ _id, self }) => (self ? [[_id, self] as const] : [])));
  };

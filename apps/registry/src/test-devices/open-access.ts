import type { Application, TestDevicesState } from '@tidings/audience';
import { modelOf } from '@tidings/mongo';
import { applicationsModel, testDevicesModel } from '@tidings/registry-store';
import type { OpenAccess } from '@tidings/rpc';
import type { Db } from 'mongodb';

const MOST = 1_000;

export async function openAccess(db: Db): Promise<OpenAccess[]> {
  const [demanding, unconfirmed] = await Promise.all([
    modelOf(db, applicationsModel)
      .find({ $or: [{ inboxTokenRequired: true }, { testDeviceTokenRequired: true }], deletedAt: { $exists: false } })
      .limit(MOST)
      .lean<Application[]>(),
    modelOf(db, testDevicesModel).find({ 'devices.unconfirmed': true }).limit(MOST).lean<TestDevicesState[]>(),
  ]);
  const found = new Map<string, OpenAccess>();
  const entryOf = (application: string): OpenAccess => {
    const entry = found.get(application) ?? {
      application,
      inboxTokenRequired: false,
      testDeviceTokenRequired: false,
      unconfirmedTestDevices: 0,
    };
    found.set(application, entry);
    return entry;
  };
  for (const { code, inboxTokenRequired = false, testDeviceTokenRequired = false } of demanding) {
    Object.assign(entryOf(code), { inboxTokenRequired, testDeviceTokenRequired });
  }
  for (const { application, devices } of unconfirmed) {
    entryOf(application).unconfirmedTestDevices = devices.filter((device) => device.unconfirmed).length;
  }
  return [...found.values()].slice(0, MOST);
}

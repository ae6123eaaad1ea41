import { DENIED, type TestDevicesState } from '@tidings/audience';
import { type Clock, Fault } from '@tidings/kernel';
import { modelOf } from '@tidings/mongo';
import type { Accounts } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { testDevicesModel } from '../accounts/storage/accounts.schema.ts';
import { tokenText } from '../devices/commands/action-of-command.ts';

/** Test devices per page, each up to about 10 KB. */
const PAGE = 100;

interface TestDevicesDeps {
  readonly db: Db;
  readonly store: AccountStore;
  readonly write: AccountWriter;
  readonly clock: Clock;
}

/** Test devices of applications (Spec L). The gateway has checked the caller's access to the application. */
export const testDevicesRpc = ({
  db,
  store,
  write,
  clock,
}: TestDevicesDeps): Pick<Accounts, 'setTestDevice' | 'listTestDevices'> => ({
  async setTestDevice({ application, device }) {
    const owner = await store.application(application);
    if (!owner) throw Fault.argument(DENIED);
    if (!device) throw Fault.bug('a test device without a device');
    const language = device.language || undefined;
    const pushToken = tokenText(device.platform, device.pushToken);
    const action = { type: 'setTestDevice', application, device: { ...device, pushToken, language } } as const;
    await write({ account: owner.account, action, at: new Date(clock.now()) });
    return {};
  },

  async listTestDevices({ application, after }) {
    const from = Number(after);
    const found = await modelOf(db, testDevicesModel)
      .findOne({ _id: application })
      .slice('devices', [from, PAGE + 1])
      .lean<TestDevicesState | null>();
    const devices = (found?.devices ?? []).map((device) => ({ ...device, language: device.language ?? '' }));
    return { devices: devices.slice(0, PAGE), next: devices.length > PAGE ? String(from + PAGE) : '' };
  },
});

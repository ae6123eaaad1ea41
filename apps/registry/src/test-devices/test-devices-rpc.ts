import { DENIED, testDeviceHash, type TestDevicesState } from '@tidings/audience';
import { tokenText } from '@tidings/channels';
import { type Clock, Fault } from '@tidings/kernel';
import { modelOf } from '@tidings/mongo';
import { testDevicesModel } from '@tidings/registry-store';
import type { TestDeviceList } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { existing } from '../applications/existing.ts';
import { openAccess } from './open-access.ts';

const PAGE = 100;

async function hasTestDevice(db: Db, application: string, tokenHash: string): Promise<boolean> {
  const found = await modelOf(db, testDevicesModel).findOne({ _id: application }).lean<TestDevicesState | null>();
  return found?.devices.some((device) => testDeviceHash(device) === tokenHash) ?? false;
}

interface TestDevicesDeps {
  readonly db: Db;
  readonly store: AccountStore;
  readonly write: AccountWriter;
  readonly clock: Clock;
}

export const testDevicesRpc = ({ db, store, write, clock }: TestDevicesDeps): TestDeviceList => ({
  async setTestDevice({ application, device, withoutToken }) {
    const owner = await store.application(application);
    if (!owner) throw Fault.argument(DENIED);
    if (!device) throw Fault.bug('a test device without a device');
    const { platform, name, description } = device;
    const language = device.language || undefined;
    const pushToken = tokenText(platform, device.pushToken);
    const action = {
      type: 'setTestDevice',
      application,
      device: { pushToken, platform, name, description, language },
      isAnonymous: withoutToken,
    } as const;
    await write({ account: owner.account, action, at: new Date(clock.now()) });
    return {};
  },

  listOpenAccess: async () => ({ applications: await openAccess(db) }),

  async confirmTestDevice({ application, tokenHash, confirmed }) {
    const { account } = await existing(store, application);
    const action = { type: 'confirmTestDevice', application, tokenHash, confirmed } as const;
    await write({ account, action, at: new Date(clock.now()) });
    return { found: await hasTestDevice(db, application, tokenHash) };
  },

  async deleteTestDevice({ application, tokenHash }) {
    const { account } = await existing(store, application);
    const found = await hasTestDevice(db, application, tokenHash);
    await write({ account, action: { type: 'deleteTestDevice', application, tokenHash }, at: new Date(clock.now()) });
    return { found };
  },

  async listTestDevices({ application, after }) {
    const from = Number(after);
    const found = await modelOf(db, testDevicesModel)
      .findOne({ _id: application })
      .slice('devices', [from, PAGE + 1])
      .lean<TestDevicesState | null>();
    const devices = (found?.devices ?? []).map(({ language = '', unconfirmed = false, ...device }) => ({
      ...device,
      language,
      unconfirmed,
    }));
    return { devices: devices.slice(0, PAGE), next: devices.length > PAGE ? String(from + PAGE) : '' };
  },
});

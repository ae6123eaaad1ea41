import type { KeyObject } from 'node:crypto';
import { visitorKeyOf } from '@tidings/channels';
import { type Clock, Fault } from '@tidings/kernel';
import type { ConfigurePlatformRequest, Platforms } from '@tidings/rpc';
import { type MasterKeys, seal } from '@tidings/runtime';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { existing } from './existing.ts';
import { fileOf } from './files.ts';
import { openPushPackages } from './push-packages.ts';
import { applicationView } from './application-view.ts';

/** Seals secret settings here: nothing later has them in clear. */
function partSettings({ application, settings, secretSettings }: ConfigurePlatformRequest, masterKeys: MasterKeys) {
  const secret = new Set(secretSettings);
  const entries = Object.entries(settings);
  return {
    settings: Object.fromEntries(entries.filter(([name]) => !secret.has(name))),
    sealed: Object.fromEntries(
      entries
        .filter(([name]) => secret.has(name))
        .map(([field, value]) => [field, seal(masterKeys, { application, field }, value)]),
    ),
  };
}

export function platformsRpc(
  store: AccountStore,
  write: AccountWriter,
  {
    clock,
    masterKeys,
    reportKey,
  }: { readonly clock: Clock; readonly masterKeys: MasterKeys; readonly reportKey: KeyObject },
): Platforms {
  const now = (): Date => new Date(clock.now());
  const visitorKey = visitorKeyOf(reportKey);
  const packages = openPushPackages({ clock, masterKeys, visitorKey });
  return {
    async configurePlatform(request) {
      const { account, application, platform, disabled } = request;
      const parts = partSettings(request, masterKeys);
      await write({
        account,
        action: { type: 'configurePlatform', application, platform, disabled, ...parts },
        at: now(),
      });
      return applicationView(await existing(store, application));
    },

    async setPlatformStatus({ account, application, platform, enabled }) {
      await write({ account, action: { type: 'setPlatformStatus', application, platform, enabled }, at: now() });
      return applicationView(await existing(store, application));
    },

    async getApplicationFile({ account, application: code, file, publicUrl }) {
      const text = await fileOf(await existing(store, code, account), file, {
        masterKeys,
        visitorKey,
        publicUrl,
        at: now(),
      });
      if (text === undefined) throw Fault.argument('File not found');
      return { text };
    },

    async getPushPackage({ application: code, websitePushId, hwid, publicUrl }) {
      const application = await store.application(code);
      const packageRequest = { publicUrl, visitor: { hwid: hwid === '' ? undefined : hwid } };
      const archive = application && (await packages.of(application, websitePushId, packageRequest));
      return { archive: archive ?? Buffer.alloc(0) };
    },

    async getCredential({ application: code, platform }) {
      const application = await store.application(code);
      const found = application?.platforms.find((each) => each.platform === platform);
      return {
        application: code,
        platform,
        version: found?.credentialVersion ?? 0,
        exists: application !== undefined,
        settings: { ...found?.settings },
        sealed: Object.fromEntries(
          Object.entries(found?.sealed ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes)]),
        ),
      };
    },
  };
}

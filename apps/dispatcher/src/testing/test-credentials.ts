import type { Platforms } from '@tidings/rpc';
import { seal, type MasterKeys } from '@tidings/runtime';

export type TestCredentials = Readonly<
  Record<number, { readonly version?: number; readonly settings: Readonly<Record<string, string>> }>
>;

export function platformsWith(
  masterKeys: MasterKeys,
  byPlatform: TestCredentials,
): Pick<Platforms, 'getCredential'> & { reads: number } {
  return {
    reads: 0,
    async getCredential({ application, platform }) {
      this.reads++;
      const { version = 1, settings } = byPlatform[platform] ?? { version: 0, settings: {} };
      const sealed = Object.entries(settings).map(([field, value]): [string, Buffer] => [
        field,
        Buffer.from(seal(masterKeys, { application, field }, value)),
      ]);
      return {
        application,
        platform,
        version,
        exists: Object.keys(byPlatform).length > 0,
        settings: {},
        sealed: Object.fromEntries(sealed),
      };
    },
  };
}

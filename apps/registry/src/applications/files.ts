import type { KeyObject } from 'node:crypto';
import type { Application } from '@tidings/audience';
import { Platform } from '@tidings/kernel';
import { type KeyFile, type MasterKeys, open, openKeyFile } from '@tidings/runtime';
import { openWebsite, packageOf, type Website } from './push-package.ts';

interface Source {
  readonly platform: number;
  readonly part: 'key' | 'certificate';
  readonly settings: readonly string[];
  readonly password: string;
}

const ofIos = { platform: Platform.iOS, settings: ['ios_key_file'], password: 'ios_key_password' };
const ofMac = {
  platform: Platform.MacOS,
  settings: ['macos_cert_file', 'macos_key_file'],
  password: 'macos_key_password',
};
const ofSafari = { platform: Platform.Safari, settings: ['safari_key_file'], password: 'safari_key_password' };

const sources: Readonly<Record<string, Source>> = {
  ios_manual_privatekey: { ...ofIos, part: 'key' },
  ios_manual_certificate: { ...ofIos, part: 'certificate' },
  ios_push_certificate: { ...ofIos, part: 'certificate' },
  macos_manual_privatekey: { ...ofMac, part: 'key' },
  macos_manual_certificate: { ...ofMac, part: 'certificate' },
  macos_push_certificate: { ...ofMac, part: 'certificate' },
  safari_manual_privatekey: { ...ofSafari, part: 'key' },
  safari_push_certificate: { ...ofSafari, part: 'certificate' },
};

const partOf = ({ key, certificates }: KeyFile, part: Source['part']): string | undefined =>
  part === 'key' ? key : certificates[0];

export interface FileDeps {
  readonly masterKeys: MasterKeys;
  readonly publicUrl: string;
  readonly at: Date;
  readonly visitorKey: KeyObject;
}

const settingsOf =
  ({ code, platforms }: Application, platform: number, masterKeys: MasterKeys) =>
  (field: string): string => {
    const { settings, sealed } = platforms.find((each) => each.platform === platform) ?? {};
    const secret = sealed?.[field];
    return secret ? open(masterKeys, { application: code, field }, secret).toString() : (settings?.[field] ?? '');
  };

export const websiteIn = (application: Application, masterKeys: MasterKeys): Website => ({
  ...application,
  setting: settingsOf(application, Platform.Safari, masterKeys),
});

export async function fileOf(application: Application, file: string, deps: FileDeps): Promise<string | undefined> {
  const { masterKeys, publicUrl, at, visitorKey } = deps;
  if (file === 'safari_push_package') {
    const website = websiteIn(application, masterKeys);
    const opened = await openWebsite(website);
    if (!opened) return undefined;
    return (await packageOf(website, opened, { publicUrl, visitor: { hwid: undefined }, visitorKey, at })).toString(
      'base64',
    );
  }
  const source = sources[file];
  if (!source) return undefined;
  const setting = settingsOf(application, source.platform, masterKeys);
  for (const name of source.settings) {
    const content = setting(name);
    if (content === '') continue;
    const found = partOf(await openKeyFile(Buffer.from(content, 'base64'), setting(source.password)), source.part);
    if (found !== undefined) return found;
  }
  return undefined;
}

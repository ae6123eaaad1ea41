import type { Application } from '@tidings/audience';
import { Platform } from '@tidings/kernel';
import { type KeyFile, open, openKeyFile } from '@tidings/runtime';

/** Where a file of the API comes from: a part of what one of these settings holds, the first that has it. */
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

/** The files that can be there at all (R-B4). */
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

/** The PEM block of a file that an application has; undefined where it has none. Throws the Fault of {@link openKeyFile}. */
export async function fileOf(
  { code, platforms }: Application,
  file: string,
  masterKey: Uint8Array,
): Promise<string | undefined> {
  const source = sources[file];
  const stored = source && platforms.find(({ platform }) => platform === source.platform);
  if (!stored) return undefined;
  const secret = (field: string): string => {
    const sealed = stored.sealed[field];
    return sealed ? open(masterKey, { application: code, field }, sealed).toString() : '';
  };
  for (const setting of source.settings) {
    const content = secret(setting);
    if (content === '') continue;
    const found = partOf(await openKeyFile(Buffer.from(content, 'base64'), secret(source.password)), source.part);
    if (found !== undefined) return found;
  }
  return undefined;
}

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Failure } from '../session.ts';
import type { PlatformFields, Setting } from './platform-fields.ts';

/** Settings that have one value for nearly everyone. */
const usual: Readonly<Record<string, string>> = {
  'key-management-type': 'manual',
  'key-password': '',
  gateway: '1',
  framework: 'native',
};

export interface GivenSettings {
  /** Path of the key, the certificate or the service account. */
  readonly file?: string;
  /** `name=value`, or `name=@file`. */
  readonly set?: readonly string[];
}

/** @throws Failure that names the setting, or the file */
export async function settingsRequest(
  platform: PlatformFields,
  { file, set = [] }: GivenSettings,
): Promise<Readonly<Record<string, unknown>>> {
  const values = new Map<string, unknown>();
  const { settings } = platform;
  for (const [name, value] of Object.entries(usual)) if (settings.get(name)?.required) values.set(name, value);
  if (file !== undefined) {
    const [name, setting] = fileSetting(platform);
    values.set(name, await contentOf(file, setting));
    const keyId = /^AuthKey_(\w{10})\.p8$/.exec(basename(file))?.[1];
    if (keyId !== undefined && settings.has('key-id')) values.set('key-id', keyId);
  }
  for (const each of set) {
    const [, name = each, text = ''] = /^([^=]*)=(.*)$/s.exec(each) ?? [];
    const setting = settings.get(name);
    if (!setting || name === each) throw new Failure(unknownSetting(platform, name));
    values.set(name, await valueOf(text, setting));
  }
  for (const [name, { required, description, form }] of settings) {
    if (!required || values.has(name)) continue;
    const option = form === 'text' || form === 'list' ? `--set ${name}=…` : '--file';
    throw new Failure(`${platform.name} needs ${option}: ${description}`);
  }
  return Object.fromEntries([...values].map(([name, value]) => [settings.get(name)!.field, value]));
}

function fileSetting({ name, settings }: PlatformFields): readonly [string, Setting] {
  const files = [...settings].filter(([, { form }]) => form === 'account' || form === 'file');
  const found = files.find(([each, { form }]) => form === 'account' || each === 'key-file');
  if (!found) throw new Failure(`${name} has no file: use --set ${[...settings.keys()][0]}=…`);
  return found;
}

const unknownSetting = ({ name, settings }: PlatformFields, given: string): string =>
  `${name} has no setting '${given}' in the form name=value. It has ${[...settings.keys()].join(', ')}`;

async function valueOf(text: string, setting: Setting): Promise<unknown> {
  if (setting.form === 'list') return text.split(',').filter((each) => each !== '');
  if (setting.form !== 'text') return contentOf(text.replace(/^@/, ''), setting);
  return text.startsWith('@') ? (await bytesOf(text.slice(1))).toString('utf8').trimEnd() : text;
}

async function contentOf(file: string, { form }: Setting): Promise<unknown> {
  const bytes = await bytesOf(file);
  return form === 'account' ? accountIn(file, bytes.toString('utf8')) : bytes.toString('base64');
}

const bytesOf = (file: string): Promise<Buffer> =>
  readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${file} cannot be read: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`);
  });

const ACCOUNT_HINT =
  'Firebase makes the key of a service account in Project settings, Service accounts, Generate new private key';

function accountIn(file: string, text: string): unknown {
  let account: unknown;
  try {
    account = JSON.parse(text);
  } catch {
    throw new Failure(`${file} is not JSON. ${ACCOUNT_HINT}`);
  }
  if ((account as { type?: unknown } | null)?.type === 'service_account') return account;
  throw new Failure(`${file} is not the key of a service account. ${ACCOUNT_HINT}`);
}

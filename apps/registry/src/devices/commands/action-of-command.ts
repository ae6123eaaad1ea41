import {
  type BeforeRegistration,
  dateValue,
  defaultTags,
  type DeviceAction,
  isTimezone,
  isWithin,
  keyedId,
  type ListOperator,
  type NewToken,
  type NewUser,
  parseLanguage,
  parseTagWrite,
  hwidHashOf,
  type TagDefinition,
  type TagWrite,
  wrongValue,
} from '@tidings/audience';
import { tokenText } from '@tidings/channels';
import type { ActivityTokenSet, DeviceKeys } from '@tidings/events/generated/tidings/events/v1/devices';
import { Fault, hwidOn, isPushPlatform, isRegistrable, Platform } from '@tidings/kernel';
import type { TagSet } from '@tidings/registry-store';
import type { BindUser, DeviceCommand, RecordEvent, Open, Register, SetActivityToken } from '@tidings/rpc';
import { placeWrites } from './place-writes.ts';
import { type IdentityKeys, tokenHash, addressHashes } from '../../identities/identity-keys.ts';

export interface Reading {
  readonly account: string;
  readonly hwid: string;
  readonly tags: TagSet;
  readonly keys: IdentityKeys;
  readonly listOperator?: ListOperator;
  /** Receives the tags that are skipped, with the reason. */
  readonly refusedTags?: Map<string, string>;
}

const NO_SUCH_TAG = 'tag not found';

const TEXT_LENGTH = 65_536;

const NAME_LENGTH = 255;

const isHwid = (hwid: string, platform: number): boolean =>
  hwid !== '' && isWithin(hwid, NAME_LENGTH) && hwidOn(platform, hwid) === hwid;

/** E-mail addresses are lower case (R-E1). */
export const hwidOf = ({ hwid, command }: DeviceCommand): string =>
  command?.$case === 'register' && command.value.platform === Platform.Email && hwid.includes('@')
    ? hwid.toLowerCase()
    : hwid;

const limited = (field: string, text: string | undefined): string | undefined => {
  if (text !== undefined && !isWithin(text, TEXT_LENGTH))
    throw Fault.argument(`${field}: at most ${TEXT_LENGTH} characters`);
  return text;
};

/** E-mail contacts with an hwid of their own keep their address (R-C1). */
function addressOf({ platform, pushToken }: Register, hwid: string): string | undefined {
  if (platform !== Platform.Email) return hwid;
  return pushToken || (hwid.includes('@') ? hwid : pushToken);
}

function tokenOf(command: Register, { hwid, keys }: Reading): NewToken | null | undefined {
  const token = isPushPlatform(command.platform) ? limited('push_token', command.pushToken) : addressOf(command, hwid);
  if (token === undefined) return undefined;
  if (token === '') return null;
  const text = tokenText(command.platform, token);
  if (text === '') return null;
  if (command.platform !== Platform.Email) return { text, hash: tokenHash(keys.token, text) };
  const [hash, ...formerHashes] = addressHashes(keys.token, token);
  return { text, hash: hash!, formerHashes };
}

function userOf(id: string | undefined, { account, hwid, keys }: Reading, hwidHash: string): NewUser | undefined {
  if (id === undefined) return undefined;
  if (id === '' || !isWithin(id, NAME_LENGTH)) throw Fault.argument(`userId: must have 1 to ${NAME_LENGTH} characters`);
  return { id, hash: id === hwid ? hwidHash : hwidHashOf(keys.device, account, id) };
}

function languageOf(language: string): TagWrite {
  const value = parseLanguage(language);
  if (value === undefined) throw Fault.argument('language: must be a two-letter code');
  return { tag: defaultTags.language, operation: 'set', value: { $case: 'text', value } };
}

function timezoneOf(seconds: number): TagWrite {
  if (!isTimezone(seconds)) throw Fault.argument('timezone: must be -43200 to 50400');
  return { tag: defaultTags.timezone, operation: 'set', value: { $case: 'number', value: seconds } };
}

function system(writes: TagWrite[], tag: TagDefinition, input: string | undefined): void {
  if (input === undefined) return;
  const write = parseTagWrite(tag, input);
  if (typeof write !== 'string') writes.push(write);
}

function systemWrites(command: Register | Open): TagWrite[] {
  const writes: TagWrite[] = [];
  if (command.language !== undefined) writes.push(languageOf(command.language));
  if (command.timezoneSeconds !== undefined) writes.push(timezoneOf(command.timezoneSeconds));
  system(writes, defaultTags.applicationVersion, command.appVersion);
  system(writes, defaultTags.osVersion, command.osVersion);
  system(writes, defaultTags.deviceModel, command.deviceModel);
  return writes;
}

function keysOf(command: Register): DeviceKeys | undefined {
  const { idfa, publicKey, authToken, fcmToken, fcmPushSet, adoptByToken } = command;
  if ((idfa ?? publicKey ?? authToken ?? fcmToken ?? fcmPushSet ?? adoptByToken) === undefined) return undefined;
  limited('idfa', idfa);
  limited('public_key', publicKey);
  limited('auth_token', authToken);
  limited('fcm_token', fcmToken);
  limited('fcm_push_set', fcmPushSet);
  return { idfa, publicKey, authToken, fcmToken, fcmPushSet, adoptByToken };
}

type TagInputs = Readonly<Record<string, unknown>> | undefined;

/** Unknown tags and wrong values are skipped (R-C3). */
export function lenientWrites(inputs: TagInputs, reading: Reading, writes: TagWrite[] = []): TagWrite[] {
  const { tags, listOperator, refusedTags } = reading;
  for (const name in inputs) {
    const tag = tags.named(name);
    const write = tag && parseTagWrite(tag, inputs[name], listOperator);
    if (write !== undefined && typeof write !== 'string') writes.push(write);
    else refusedTags?.set(name, tag ? wrongValue(tag.type) : NO_SUCH_TAG);
  }
  return writes;
}

/** Unknown tags are skipped; a wrong value refuses the request (R-C4). */
function strictWrites(inputs: TagInputs, tags: TagSet): TagWrite[] {
  return Object.keys(inputs ?? {}).flatMap((name) => {
    const tag = tags.named(name);
    if (!tag) return [];
    const write = parseTagWrite(tag, inputs![name]);
    if (typeof write === 'string') throw Fault.argument(`tags.${name}: ${write}`);
    return [write];
  });
}

function registerOf(command: Register, reading: Reading, hwidHash: string): DeviceAction {
  if (!isRegistrable(command.platform)) throw Fault.argument('device_type: unknown platform');
  if (!isHwid(reading.hwid, command.platform)) throw Fault.argument('Hwid is not valid');
  const writes = [...systemWrites(command), ...placeWrites(command)];
  return {
    type: 'register',
    platform: command.platform,
    token: tokenOf(command, reading),
    user: userOf(command.userId, reading, hwidHash),
    keys: keysOf(command),
    writes: lenientWrites(command.tags, reading, writes),
    onlyPlatform: command.onlyPlatform,
  };
}

function recordEventOf({ purchase, ...occurrence }: RecordEvent): DeviceAction {
  limited('attributes', occurrence.attributes);
  if (!purchase) return { type: 'recordEvent', occurrence, writes: [] };
  const writes: TagWrite[] = [
    { tag: defaultTags.inAppProduct, operation: 'append', items: [purchase.product] },
    { tag: defaultTags.inAppPurchase, operation: 'increment', by: purchase.quantity },
    { tag: defaultTags.lastInAppPurchaseDate, operation: 'set', value: dateValue(purchase.at?.getTime() ?? 0) },
  ];
  return { type: 'recordEvent', occurrence, writes };
}

function bindUserOf(
  { userId, timezoneSeconds }: BindUser,
  reading: Reading,
  hwidHash: string,
): DeviceAction & { type: 'bindUser' } {
  const user = userOf(userId === '' ? reading.hwid : userId, reading, hwidHash)!;
  return { type: 'bindUser', user, writes: timezoneSeconds === undefined ? [] : [timezoneOf(timezoneSeconds)] };
}

function activityTokenOf(token: string | undefined): string | undefined {
  const text = limited('token', token);
  return (text && tokenText(Platform.iOS, text)) || undefined;
}

const activityOf = ({ activityId, token }: SetActivityToken, { account, keys }: Reading): ActivityTokenSet => ({
  activityId,
  activity: keyedId(keys.device, 'activity', account, activityId),
  token: activityTokenOf(token),
});

/** Contacts need their addresses, so only their own methods register them (R-C7). */
function beforeRegistration({ platform }: DeviceCommand, hwid: string): BeforeRegistration {
  return platform !== undefined && isPushPlatform(platform) && isHwid(hwid, platform) ? { platform } : {};
}

export function actionOf(deviceCommand: DeviceCommand, reading: Reading, hwidHash: string): DeviceAction {
  const { command } = deviceCommand;
  const early = beforeRegistration(deviceCommand, reading.hwid);
  switch (command?.$case) {
    case 'register':
      return registerOf(command.value, reading, hwidHash);
    case 'unregister':
      return { type: 'unregister', platform: command.value.platform };
    case 'setTags':
      return { type: 'setTags', writes: strictWrites(command.value.tags, reading.tags), ...early };
    case 'open': {
      const user = userOf(command.value.userId, reading, hwidHash);
      return { type: 'open', user, writes: systemWrites(command.value), ...early };
    }
    case 'erase':
      return { type: 'erase' };
    case 'setBadge':
      return { type: 'setBadge', badge: command.value.badge };
    case 'recordEvent':
      return recordEventOf(command.value);
    case 'bindUser':
      return { ...bindUserOf(command.value, reading, hwidHash), ...early };
    case 'setPushToStartToken':
      return { type: 'setPushToStartToken', token: activityTokenOf(command.value.token) };
    case 'setActivityToken':
      return { type: 'setActivityToken', activity: activityOf(command.value, reading) };
    case undefined:
      throw Fault.bug('a device command without a command');
  }
}

import {
  type DeviceEvent,
  type DeviceKeys,
  type DeviceUser,
  type TagValue,
  TokenRemoval,
} from '@tidings/events/generated/tidings/events/v1/devices';
import { Fault, Platform } from '@tidings/kernel';
import { defaultTags, tagTypeOf } from '../default-tags.ts';
import { deviceIdOf } from '../identity.ts';
import { type TagEntry, valueOf } from '../tags/entries.ts';
import type { TagWrite } from '../tags/operations.ts';
import { dateValue, wrongValue } from '../tags/value.ts';
import { controlBucketOf } from './control-group.ts';
import {
  type DeviceAction,
  type DeviceDecision,
  newPlatformIn,
  type NewUser,
  type SelfReportWrite,
  nothing,
  type HwidDevices,
  type RegisterDevice,
} from './action.ts';
import { setActivityToken, setPushToStartToken } from './activities.ts';
import { type Device, entriesIn, isPresent } from './device.ts';
import { type DeviceIdentity, eventOf } from './events.ts';
import { giveUpToken, rejectAddress, rejectToken, replaceToken } from './lost-tokens.ts';
import { replaceOwner } from './replace-owner.ts';
import { applyWrites, sharedEntries, shareWith } from './tag-writes.ts';
import { checkAddress, tokenChange, tokenOf } from './device-tokens.ts';

const openReport = (id: string, open: number | null | undefined): SelfReportWrite[] =>
  open === undefined ? [] : [{ id, set: { open } }];

const changedUser = (identity: DeviceIdentity, own: Device, user: NewUser | undefined): DeviceUser | undefined =>
  user === undefined || user.hash === own.user ? undefined : userOf(identity, user);

function userOf(identity: DeviceIdentity, user: NewUser | undefined): DeviceUser {
  const own = user === undefined || user.hash === identity.hwidHash;
  return {
    userId: own ? '' : user.id,
    user: own ? identity.hwidHash : user.hash,
    controlBucket: controlBucketOf(identity.application, own ? identity.hwid : user.id),
  };
}

function changedKeys(own: Device, keys: DeviceKeys | undefined): DeviceKeys | undefined {
  if (!keys) return undefined;
  const same =
    (keys.idfa ?? own.idfa) === own.idfa &&
    (keys.publicKey ?? own.publicKey) === own.publicKey &&
    (keys.authToken ?? own.authToken) === own.authToken &&
    (keys.fcmToken ?? own.fcmToken) === own.fcmToken &&
    (keys.fcmPushSet ?? own.fcmPushSet) === own.fcmPushSet &&
    (keys.adoptByToken ?? own.adoptByToken) === own.adoptByToken;
  return same ? undefined : keys;
}

const skip = (): void => {};

function registerNew(
  identity: DeviceIdentity,
  seq: number,
  siblings: readonly Device[],
  command: RegisterDevice,
  at: Date,
  refuse: (write: TagWrite) => void = skip,
): DeviceDecision {
  const shared = sharedEntries(siblings);
  const firstInstall: TagValue = {
    tag: defaultTags.firstInstall.number,
    value: dateValue(at.getTime()),
  };
  const before = (k: number): readonly TagEntry[] => shared.get(k) ?? [];
  const { changes, open } = applyWrites(before, command.writes, refuse);
  const tags = new Map<number, TagValue>([[firstInstall.tag, firstInstall]]);
  for (const [tag, entries] of shared) tags.set(tag, { tag, value: valueOf(tagTypeOf(tag), entries) });
  for (const change of changes) tags.set(change.tag, change);
  const registered = eventOf(identity, seq, at, {
    $case: 'registered',
    value: {
      platform: command.platform,
      token: command.token ? tokenOf(command.token, command.platform) : undefined,
      user: userOf(identity, command.user),
      tags: [...tags.values()].filter(({ value }) => value !== undefined),
      keys: command.keys,
    },
  });
  return {
    events: [registered, ...shareWith(siblings, changes, at)],
    selfReports: openReport(deviceIdOf(identity.application, identity.hwidHash), open),
  };
}

function numbered(seq: number | undefined): number {
  if (seq === undefined) throw Fault.bug('a new device without a number');
  return seq;
}

function registerEarly(
  identity: DeviceIdentity,
  seq: number | undefined,
  siblings: readonly Device[],
  action: DeviceAction & { type: 'setTags' | 'open' | 'bindUser' },
  at: Date,
): DeviceDecision {
  const { writes } = action;
  const user = 'user' in action ? action.user : undefined;
  const command: RegisterDevice = { type: 'register', platform: newPlatformIn(action)!, user, writes };
  const refuse = ({ tag }: TagWrite): void => {
    if (action.type === 'setTags') throw Fault.argument(`tags.${tag.name}: ${wrongValue(tag.type)}`);
  };
  return registerNew(identity, numbered(seq), siblings, command, at, refuse);
}

function registerAgain(
  identity: DeviceIdentity,
  own: Device,
  siblings: readonly Device[],
  command: RegisterDevice,
  at: Date,
): DeviceDecision {
  const id = deviceIdOf(own.app, own.hwidHash);
  const events: DeviceEvent[] = [];
  const record = (event: NonNullable<DeviceEvent['event']>): void =>
    void events.push(eventOf(identity, own.seq, at, event));

  const user = changedUser(identity, own, command.user);
  const keys = changedKeys(own, command.keys);
  const platform = command.platform === own.platform ? undefined : command.platform;
  if (user || keys || platform !== undefined) record({ $case: 'updated', value: { platform, user, keys } });

  const token = tokenChange(own, command);
  if (token) record(token);

  // A first token enables alerts, before the given tags are applied (R-RES17).
  const enabled = token?.$case === 'tokenSet' && own.token === undefined ? { ...own, alerts: true } : own;
  const { changes, open } = applyWrites((k) => entriesIn(enabled, k), command.writes, skip);
  if (changes.length > 0) record({ $case: 'tagsChanged', value: { tags: [...changes] } });

  const selfReports = openReport(id, open);
  if (command.token && !token) selfReports.push({ id, max: { tokenAt: at.getTime() } });
  return { events: [...events, ...shareWith(siblings, changes, at)], selfReports };
}

export const found = (own: Device | undefined): Device => {
  if (!own) throw Fault.argument('Device not found');
  return own;
};

function checkPlatform(own: Device, platform: number): void {
  if (own.platform !== platform) throw Fault.argument('The device has another platform');
}

function unregister(identity: DeviceIdentity, own: Device, at: Date): DeviceDecision {
  if (own.token === undefined && own.alerts === false) return nothing;
  const reason = TokenRemoval.TOKEN_REMOVAL_UNREGISTERED;
  return { events: [eventOf(identity, own.seq, at, { $case: 'tokenRemoved', value: { reason } })], selfReports: [] };
}

function setTags(
  identity: DeviceIdentity,
  { own, siblings }: HwidDevices,
  { writes, lenient }: DeviceAction & { type: 'setTags' },
  at: Date,
): DeviceDecision {
  const device = found(own);
  const invalidTags: number[] = [];
  const { changes, open } = applyWrites(
    (k) => entriesIn(device, k),
    writes,
    ({ tag }) => {
      if (!lenient) throw Fault.argument(`tags.${tag.name}: ${wrongValue(tag.type)}`);
      invalidTags.push(tag.number);
    },
  );
  const events =
    changes.length === 0
      ? []
      : [eventOf(identity, device.seq, at, { $case: 'tagsChanged', value: { tags: [...changes] } })];
  return {
    events: [...events, ...shareWith(siblings, changes, at)],
    selfReports: openReport(deviceIdOf(device.app, device.hwidHash), open),
    ...(invalidTags.length > 0 && { invalidTags }),
  };
}

function updateUserAndTags(
  identity: DeviceIdentity,
  { own, siblings }: HwidDevices,
  { user, writes }: { readonly user?: NewUser | undefined; readonly writes: readonly TagWrite[] },
  at: Date,
  before: readonly NonNullable<DeviceEvent['event']>[] = [],
): readonly DeviceEvent[] {
  const device = found(own);
  const owner = changedUser(identity, device, user);
  const { changes } = applyWrites((k) => entriesIn(device, k), writes, skip);
  const updates = [...before];
  if (owner) updates.push({ $case: 'updated', value: { platform: undefined, user: owner, keys: undefined } });
  if (changes.length > 0) updates.push({ $case: 'tagsChanged', value: { tags: [...changes] } });
  return [...updates.map((event) => eventOf(identity, device.seq, at, event)), ...shareWith(siblings, changes, at)];
}

function inheritTags(
  identity: DeviceIdentity,
  { own, siblings }: HwidDevices,
  { platform, token, writes }: DeviceAction & { type: 'tagsInherited' },
  at: Date,
): DeviceDecision {
  if (own?.token !== token || own.platform !== platform) return nothing;
  const lacking = writes.filter(({ tag }) => entriesIn(own, tag.number).length === 0);
  return { events: updateUserAndTags(identity, { own, siblings }, { writes: lacking }, at), selfReports: [] };
}

function erase(identity: DeviceIdentity, own: Device | undefined, withApplication: boolean, at: Date): DeviceDecision {
  if (!own) return nothing;
  return {
    events: [eventOf(identity, own.seq, at, { $case: 'erased', value: { withApplication } })],
    selfReports: [{ id: deviceIdOf(own.app, own.hwidHash), clear: true }],
  };
}

/** @param seq of a new device @throws Fault if there is no device (R-C7), or a tag cannot hold a result */
export function decide(
  identity: DeviceIdentity,
  state: HwidDevices,
  action: DeviceAction,
  seq: number | undefined,
  at: Date,
): DeviceDecision {
  const own = isPresent(state.own) ? state.own : undefined;
  const siblings = state.siblings.filter(isPresent);
  const present = { own, siblings };
  const id = deviceIdOf(identity.application, identity.hwidHash);
  const isNew = !own && newPlatformIn(action) !== undefined;
  switch (action.type) {
    case 'register':
      checkAddress(own, action);
      if (own && action.onlyPlatform) checkPlatform(own, action.platform);
      if (own) return registerAgain(identity, own, siblings, action, at);
      return registerNew(identity, numbered(seq), siblings, action, at);
    case 'unregister':
      if (own && action.platform !== undefined) checkPlatform(own, action.platform);
      return unregister(identity, found(own), at);
    case 'setTags':
      if (isNew) return registerEarly(identity, seq, siblings, action, at);
      return setTags(identity, present, action, at);
    case 'open': {
      const opened = { id, set: { open: at.getTime() } };
      if (!isNew) return { events: updateUserAndTags(identity, present, action, at), selfReports: [opened] };
      const { events, selfReports } = registerEarly(identity, seq, siblings, action, at);
      return { events, selfReports: [...selfReports, opened] };
    }
    case 'tokenRejected':
      return rejectToken(own, action, at);
    case 'tokenReplaced':
      return replaceToken(own, action, at);
    case 'addressRejected':
      return rejectAddress(own, action, at);
    case 'tokenTaken':
      return giveUpToken(own, action, at);
    case 'addressTaken':
      if (own?.token !== action.token || own.platform !== Platform.Email) return nothing;
      return { events: updateUserAndTags(identity, present, action, at), selfReports: [] };
    case 'tagsInherited':
      return inheritTags(identity, present, action, at);
    case 'erase':
      return erase(identity, own, action.withApplication === true, at);
    case 'setBadge':
      found(own);
      return { events: [], selfReports: [{ id, set: { badge: action.badge }, add: { setBadges: 1 } }] };
    case 'recordEvent':
      return {
        events: updateUserAndTags(identity, present, action, at, [{ $case: 'occurred', value: action.occurrence }]),
        selfReports: [],
      };
    case 'bindUser':
      if (isNew) return registerEarly(identity, seq, siblings, action, at);
      return { events: updateUserAndTags(identity, present, action, at), selfReports: [] };
    case 'useKey':
      return nothing;
    case 'setPushToStartToken':
      return setPushToStartToken(identity, found(own), action.token, at);
    case 'setActivityToken':
      return setActivityToken(identity, found(own), action.activity, at);
    case 'replaceOwner':
      return replaceOwner(identity, own, { from: action.from, to: action.to }, at);
  }
}

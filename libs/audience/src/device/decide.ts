import {
  type DeviceEvent,
  type DeviceKeys,
  type DeviceUser,
  type TagValue,
  TokenRemoval,
} from '@tidings/events/generated/tidings/events/v1/devices';
import { Fault, pushPlatforms } from '@tidings/kernel';
import { defaultTags, tagTypeOf } from '../default-tags.ts';
import { deviceIdOf } from '../identity.ts';
import { MINUTE_MS } from '../tags/date.ts';
import { type TagEntry, valueOf } from '../tags/entries.ts';
import type { TagWrite } from '../tags/operations.ts';
import { wrongValue } from '../tags/value.ts';
import { controlBucketOf } from './control-group.ts';
import { type Device, type DeviceNotes, entriesIn, tokenTime } from './device.ts';
import { type DeviceIdentity, eventOf, identityOf } from './events.ts';
import { applyWrites, sharedEntries, shareWith } from './tag-writes.ts';

export interface NewToken {
  /** As it is stored: lower case on iOS. */
  readonly text: string;
  readonly hash: string;
}

export interface NewUser {
  readonly id: string;
  readonly hash: string;
}

export interface RegisterDevice {
  readonly type: 'register';
  readonly platform: number;
  /** null removes the stored one; undefined keeps it (R-C1). */
  readonly token?: NewToken | null | undefined;
  /** undefined keeps the stored one; a new device has its hwid (R-RES3). */
  readonly user?: NewUser | undefined;
  readonly keys?: DeviceKeys | undefined;
  readonly writes: readonly TagWrite[];
}

/** What happens to a device. Values were parsed against the account's tags; those that a registration got wrong are not among them (R-C3). */
export type DeviceAction =
  | RegisterDevice
  | { readonly type: 'unregister' }
  | { readonly type: 'setTags'; readonly writes: readonly TagWrite[] }
  /** applicationOpen: fields sent along are stored (R-C10). */
  | { readonly type: 'open'; readonly user?: NewUser | undefined; readonly writes: readonly TagWrite[] }
  /** The provider called the token dead; `since` = when it learnt of that, or the send began. */
  | { readonly type: 'tokenRejected'; readonly token: string; readonly since: number }
  /** Another device of the application registered the token at `at`. */
  | { readonly type: 'tokenTaken'; readonly platform: number; readonly token: string; readonly at: number };

/** What is written beside the log for the device of this id. */
export interface NoteWrite {
  readonly id: string;
  readonly set?: Partial<DeviceNotes>;
  readonly max?: Partial<Record<keyof DeviceNotes, number>>;
}

export interface DeviceDecision {
  readonly events: readonly DeviceEvent[];
  readonly notes: readonly NoteWrite[];
  /** tokenTaken: the device registered the token later than the one that took it, so it stays, and is taken from the other instead. */
  readonly keptSince?: number;
}

/** A person's devices in one account. */
export interface Person {
  /** The one that the command is about. */
  readonly own: Device | undefined;
  /** Those of the same hwid in other applications. */
  readonly sisters: readonly Device[];
}

const nothing: DeviceDecision = { events: [], notes: [] };

const openNote = (id: string, open: number | null | undefined): NoteWrite[] =>
  open === undefined ? [] : [{ id, set: { open } }];

const changedUser = (identity: DeviceIdentity, own: Device, user: NewUser | undefined): DeviceUser | undefined =>
  user === undefined || user.hash === own.user ? undefined : userOf(identity, user);

function userOf(identity: DeviceIdentity, user: NewUser | undefined): DeviceUser {
  const own = user === undefined || user.hash === identity.person;
  return {
    userId: own ? '' : user.id,
    user: own ? identity.person : user.hash,
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
    (keys.fcmPushSet ?? own.fcmPushSet) === own.fcmPushSet;
  return same ? undefined : keys;
}

const skip = (): void => {};

function registerNew(
  identity: DeviceIdentity,
  seq: number,
  sisters: readonly Device[],
  command: RegisterDevice,
  at: Date,
): DeviceDecision {
  const shared = sharedEntries(sisters);
  const firstInstall: TagValue = {
    tag: defaultTags.firstInstall.number,
    value: { $case: 'minutes', value: Math.floor(at.getTime() / MINUTE_MS) },
  };
  const before = (k: number): readonly TagEntry[] => shared.get(k) ?? [];
  const { changes, open } = applyWrites(before, command.writes, skip);
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
    events: [registered, ...shareWith(sisters, changes, at)],
    notes: openNote(deviceIdOf(identity.application, identity.person), open),
  };
}

const tokenOf = (token: NewToken, platform: number) => ({ token: token.text, tokenHash: token.hash, platform });

function tokenChange(own: Device, command: RegisterDevice): NonNullable<DeviceEvent['event']> | undefined {
  const { token, platform } = command;
  if (token === undefined) return undefined;
  if (token === null) {
    if (own.token === undefined) return undefined;
    return { $case: 'tokenRemoved', value: { reason: TokenRemoval.TOKEN_REMOVAL_CLEARED } };
  }
  // On another platform the token starts afresh: it may be somebody else's there.
  if (own.token === token.text && own.platform === platform) return undefined;
  return { $case: 'tokenSet', value: tokenOf(token, platform) };
}

function registerAgain(
  identity: DeviceIdentity,
  own: Device,
  sisters: readonly Device[],
  command: RegisterDevice,
  at: Date,
): DeviceDecision {
  const id = deviceIdOf(own.app, own.person);
  const events: DeviceEvent[] = [];
  const say = (event: NonNullable<DeviceEvent['event']>): void =>
    void events.push(eventOf(identity, own.seq, at, event));

  const user = changedUser(identity, own, command.user);
  const keys = changedKeys(own, command.keys);
  const platform = command.platform === own.platform ? undefined : command.platform;
  if (user || keys || platform !== undefined) say({ $case: 'updated', value: { platform, user, keys } });

  const token = tokenChange(own, command);
  if (token) say(token);

  // A token where there was none enables alerts, before the tags sent along have their say (R-RES17).
  const enabled = token?.$case === 'tokenSet' && own.token === undefined ? { ...own, alerts: true } : own;
  const { changes, open } = applyWrites((k) => entriesIn(enabled, k), command.writes, skip);
  if (changes.length > 0) say({ $case: 'tagsChanged', value: { tags: [...changes] } });

  const notes = openNote(id, open);
  if (command.token && !token) notes.push({ id, max: { tokenAt: at.getTime() } });
  return { events: [...events, ...shareWith(sisters, changes, at)], notes };
}

const found = (own: Device | undefined): Device => {
  if (!own) throw Fault.argument('Device not found');
  return own;
};

function unregister(identity: DeviceIdentity, own: Device, at: Date): DeviceDecision {
  if (own.token === undefined && own.alerts === false) return nothing;
  const reason = TokenRemoval.TOKEN_REMOVAL_UNREGISTERED;
  return { events: [eventOf(identity, own.seq, at, { $case: 'tokenRemoved', value: { reason } })], notes: [] };
}

function setTags(
  identity: DeviceIdentity,
  { own, sisters }: Person,
  writes: readonly TagWrite[],
  at: Date,
): DeviceDecision {
  const device = found(own);
  const { changes, open } = applyWrites(
    (k) => entriesIn(device, k),
    writes,
    ({ tag }) => {
      throw Fault.argument(`tags.${tag.name}: ${wrongValue(tag.type)}`);
    },
  );
  const events =
    changes.length === 0
      ? []
      : [eventOf(identity, device.seq, at, { $case: 'tagsChanged', value: { tags: [...changes] } })];
  return {
    events: [...events, ...shareWith(sisters, changes, at)],
    notes: openNote(deviceIdOf(device.app, device.person), open),
  };
}

function open(
  identity: DeviceIdentity,
  { own, sisters }: Person,
  command: DeviceAction & { type: 'open' },
  at: Date,
): DeviceDecision {
  const device = found(own);
  const user = changedUser(identity, device, command.user);
  const { changes } = applyWrites((k) => entriesIn(device, k), command.writes, skip);
  const events: DeviceEvent[] = [];
  if (user)
    events.push(
      eventOf(identity, device.seq, at, { $case: 'updated', value: { platform: undefined, user, keys: undefined } }),
    );
  if (changes.length > 0)
    events.push(eventOf(identity, device.seq, at, { $case: 'tagsChanged', value: { tags: [...changes] } }));
  return {
    events: [...events, ...shareWith(sisters, changes, at)],
    notes: [{ id: deviceIdOf(device.app, device.person), max: { open: at.getTime() } }],
  };
}

const removed = (device: Device, reason: TokenRemoval, at: Date): DeviceDecision => ({
  events: [eventOf(identityOf(device), device.seq, at, { $case: 'tokenRemoved', value: { reason } })],
  notes: [],
});

/** Only push tokens die, and only those that were not registered again since (R-P2). */
function rejectToken(
  own: Device | undefined,
  command: DeviceAction & { type: 'tokenRejected' },
  at: Date,
): DeviceDecision {
  const dead =
    own?.token === command.token &&
    tokenTime(own) <= command.since &&
    (pushPlatforms as readonly number[]).includes(own.platform);
  return dead ? removed(own, TokenRemoval.TOKEN_REMOVAL_REJECTED, at) : nothing;
}

/** A token lives on one device per application and platform: the one that registered it last (R-RES2). */
function giveUpToken(
  own: Device | undefined,
  command: DeviceAction & { type: 'tokenTaken' },
  at: Date,
): DeviceDecision {
  if (own?.token !== command.token || own.platform !== command.platform) return nothing;
  const mine = tokenTime(own);
  return mine > command.at ? { ...nothing, keptSince: mine } : removed(own, TokenRemoval.TOKEN_REMOVAL_MOVED, at);
}

/**
 * What follows from an action, with paper and pencil. `seq` is the number that a new device gets. Unchanged registrations are no event.
 * Faults: `Device not found`, and a tag that cannot hold the result of an operation (`tags.<name>: wrong value: ...`); both change nothing.
 */
export function decide(
  identity: DeviceIdentity,
  person: Person,
  action: DeviceAction,
  seq: number | undefined,
  at: Date,
): DeviceDecision {
  const { own, sisters } = person;
  switch (action.type) {
    case 'register':
      if (own) return registerAgain(identity, own, sisters, action, at);
      if (seq === undefined) throw Fault.bug('a new device without a number');
      return registerNew(identity, seq, sisters, action, at);
    case 'unregister':
      return unregister(identity, found(own), at);
    case 'setTags':
      return setTags(identity, person, action.writes, at);
    case 'open':
      return open(identity, person, action, at);
    case 'tokenRejected':
      return rejectToken(own, action, at);
    case 'tokenTaken':
      return giveUpToken(own, action, at);
  }
}

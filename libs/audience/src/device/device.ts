import type {
  ActivityTokenSet,
  DeviceEvent,
  DeviceKeys,
  DeviceUser,
  TagValue,
} from '@tidings/events/generated/tidings/events/v1/devices';
import { TokenRemoval } from '@tidings/events/generated/tidings/events/v1/devices';
import { Fault } from '@tidings/kernel';
import { defaultTags } from '../default-tags.ts';
import { deviceIdOf } from '../identity.ts';
import { entriesOf, type TagEntry } from '../tags/entries.ts';
import { dateValue } from '../tags/value.ts';
import { replacedOwners } from './owners.ts';

/** Written beside the log. Milliseconds since 1970. */
export interface SelfReportedState {
  /** null = removed by a caller. */
  readonly open?: number | null;
  /** Base of "+n" badges (R-C9); in devices of 0.1.0 also a sent one. */
  readonly badge?: number;
  /** Counts calls of setBadge, which invalidate allotted badges. */
  readonly setBadges?: number;
  readonly badgeOf?: string;
  readonly tokenAt?: number;
  readonly place?: { readonly lat: number; readonly lng: number; readonly at: number };
}

/** Field names as in the registry's documents. Absent = unset. Times are milliseconds since 1970. */
export interface Device {
  readonly account: string;
  readonly app: string;
  /** Keyed hash: the same in sibling applications. */
  readonly hwidHash: string;
  readonly seq: number;
  /** 0 = erased: only the fields above are left. */
  readonly status: 0 | 1;
  readonly hwid: string;
  readonly platform: number;
  readonly token?: string | undefined;
  /** Keyed hash of the token, the only indexed form. */
  readonly th?: string | undefined;
  readonly ta?: number | undefined;
  /** Keyed hash; equals `hwidHash` by default. */
  readonly user: string;
  readonly userId?: string | undefined;
  readonly lang?: string | undefined;
  /** Seconds east of UTC. */
  readonly tz?: number | undefined;
  /** Absent = unset, which is displayable (R-H13). */
  readonly alerts?: boolean | undefined;
  readonly cg: number;
  readonly tags: readonly TagEntry[];
  readonly idfa?: string | undefined;
  readonly publicKey?: string | undefined;
  readonly authToken?: string | undefined;
  readonly fcmToken?: string | undefined;
  readonly fcmPushSet?: string | undefined;
  /** The next owner of the push token gets the tags that it lacks. */
  readonly adoptByToken?: boolean | undefined;
  readonly startToken?: string | undefined;
  readonly activities?: readonly ActivityToken[] | undefined;
  /** Oldest first; the last is `user`. */
  readonly owners: readonly { readonly user: string; readonly from: number }[];
  readonly createdAt: number;
  readonly self?: SelfReportedState | undefined;
}

export interface ActivityToken {
  readonly k: string;
  readonly id: string;
  readonly token: string;
}

const MAX_ACTIVITIES = 20;
const MAX_OWNERS = 100;

export const isPresent = (device: Device | undefined): device is Device => device?.status === 1;

/** Only later rejections count (R-P2). 0 without a token. */
export const tokenTime = (device: Pick<Device, 'token' | 'ta' | 'self'>): number =>
  device.token === undefined ? 0 : Math.max(device.ta ?? 0, device.self?.tokenAt ?? 0);

/** The most recently active device wins per tag (R-C6). */
export const lastActivity = (device: Pick<Device, 'token' | 'ta' | 'self' | 'createdAt'>): number =>
  Math.max(device.self?.open ?? 0, tokenTime(device), device.createdAt);

const field = (k: number, v: TagEntry['v'] | null | undefined): readonly TagEntry[] => (v == null ? [] : [{ k, v }]);

const openEntries = (open: number | null | undefined): readonly TagEntry[] =>
  open == null ? [] : entriesOf(defaultTags.lastApplicationOpen.number, dateValue(open));

export function entriesIn(
  device: Pick<Device, 'lang' | 'tz' | 'alerts' | 'tags' | 'self'> | undefined,
  k: number,
): readonly TagEntry[] {
  if (!device) return [];
  switch (k) {
    case defaultTags.language.number:
      return field(k, device.lang);
    case defaultTags.timezone.number:
      return field(k, device.tz);
    case defaultTags.pushAlertsEnabled.number:
      return field(k, device.alerts);
    case defaultTags.lastApplicationOpen.number:
      return openEntries(device.self?.open);
    default:
      return device.tags.filter((entry) => entry.k === k);
  }
}

type Mutable<T> = { -readonly [key in keyof T]: T[key] };

function setField(device: Mutable<Device>, { tag, value }: TagValue): boolean {
  switch (tag) {
    case defaultTags.language.number:
      device.lang = value?.$case === 'text' ? value.value : undefined;
      return true;
    case defaultTags.timezone.number:
      device.tz = value?.$case === 'number' ? value.value : undefined;
      return true;
    case defaultTags.pushAlertsEnabled.number:
      device.alerts = value?.$case === 'flag' ? value.value : undefined;
      return true;
    default:
      return false;
  }
}

function setTags(device: Mutable<Device>, changes: readonly TagValue[]): void {
  const others = changes.filter((change) => !setField(device, change));
  if (others.length === 0) return;
  const tags = device.tags.filter(({ k }) => !others.some(({ tag }) => tag === k));
  for (const { tag, value } of others) if (value) tags.push(...entriesOf(tag, value));
  device.tags = tags.sort((a, b) => a.k - b.k);
}

function setKeys(device: Mutable<Device>, keys: DeviceKeys | undefined): void {
  if (!keys) return;
  if (keys.idfa !== undefined) device.idfa = keys.idfa;
  if (keys.publicKey !== undefined) device.publicKey = keys.publicKey;
  if (keys.authToken !== undefined) device.authToken = keys.authToken;
  if (keys.fcmToken !== undefined) device.fcmToken = keys.fcmToken;
  if (keys.fcmPushSet !== undefined) device.fcmPushSet = keys.fcmPushSet;
  if (keys.adoptByToken !== undefined) device.adoptByToken = keys.adoptByToken;
}

function setToken(device: Mutable<Device>, token: { token: string; tokenHash: string } | undefined, at: number): void {
  if (token && device.token === undefined) device.alerts = true;
  device.token = token?.token;
  device.th = token?.tokenHash;
  device.ta = token && at;
}

function setUser(device: Mutable<Device>, owner: DeviceUser | undefined, at: number): void {
  if (!owner) return;
  device.userId = owner.userId === '' ? undefined : owner.userId;
  device.user = owner.user;
  device.cg = owner.controlBucket;
  if (device.owners.at(-1)?.user === owner.user) return;
  device.owners = [...device.owners, { user: owner.user, from: at }].slice(-MAX_OWNERS);
}

function setActivity(device: Mutable<Device>, { activity: k, activityId: id, token }: ActivityTokenSet): void {
  const others = (device.activities ?? []).filter((each) => each.k !== k);
  const activities = token === undefined ? others : [...others, { k, id, token }].slice(-MAX_ACTIVITIES);
  device.activities = activities.length === 0 ? undefined : activities;
}

const erased = ({ account, app, hwidHash, seq }: Device): Device => ({
  account,
  app,
  hwidHash,
  seq,
  status: 0,
  hwid: '',
  platform: 0,
  user: hwidHash,
  cg: 0,
  tags: [],
  owners: [],
  createdAt: 0,
});

const blank = (event: DeviceEvent, at: number): Mutable<Device> => ({
  account: event.account,
  app: event.application,
  hwidHash: event.hwidHash,
  seq: event.seq,
  status: 1,
  hwid: event.hwid,
  platform: 0,
  user: event.hwidHash,
  cg: 0,
  tags: [],
  owners: [],
  createdAt: at,
});

export function evolve(state: Device | undefined, event: DeviceEvent): Device {
  const at = event.at?.getTime() ?? 0;
  const change = event.event;
  if (!state && change?.$case !== 'registered') {
    throw Fault.bug(
      `event ${change?.$case ?? 'none'} for unknown device ${deviceIdOf(event.application, event.hwidHash)}`,
    );
  }
  const begins = state === undefined || (state.status === 0 && change?.$case === 'registered');
  const device: Mutable<Device> = begins ? blank(event, at) : { ...state };
  switch (change?.$case) {
    case 'registered':
      device.platform = change.value.platform;
      setUser(device, change.value.user, at);
      setToken(device, change.value.token, at);
      setKeys(device, change.value.keys);
      setTags(device, change.value.tags);
      return device;
    case 'updated':
      if (change.value.platform !== undefined) device.platform = change.value.platform;
      setUser(device, change.value.user, at);
      setKeys(device, change.value.keys);
      return device;
    case 'tokenSet':
      setToken(device, change.value, at);
      return device;
    case 'tokenRemoved':
      setToken(device, undefined, at);
      if (SILENCING.has(change.value.reason)) device.alerts = false;
      return device;
    case 'tagsChanged':
      setTags(device, change.value.tags);
      return device;
    case 'pushToStartTokenSet':
      device.startToken = change.value.token;
      return device;
    case 'activityTokenSet':
      setActivity(device, change.value);
      return device;
    case 'ownerReplaced':
      device.owners = replacedOwners(device, change.value, at);
      return device;
    case 'erased':
      return erased(device);
    case 'occurred':
    case 'keyUsed':
    case 'batchApplied':
    case undefined:
      return device;
  }
}

const SILENCING: ReadonlySet<TokenRemoval> = new Set([
  TokenRemoval.TOKEN_REMOVAL_UNREGISTERED,
  TokenRemoval.TOKEN_REMOVAL_REJECTED,
]);

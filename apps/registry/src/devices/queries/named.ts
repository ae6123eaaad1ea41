import { deviceIdOf, hwidHashOf, lastActivity } from '@tidings/audience';
import { addressTexts, tokenText } from '@tidings/channels';
import { sharedReads } from '@tidings/coordination';
import { Platform, type PlatformCode, type Seq } from '@tidings/kernel';
import { findAll } from '@tidings/mongo';
import { type DeviceDocument, deviceIndexes, DEVICES } from '@tidings/registry-store';
import type { Collection, Db } from 'mongodb';
import { type IdentityKeys, tokenHash } from '../../identities/identity-keys.ts';
import { resolveContacts } from './target-contacts.ts';
import { devicesOfUsers } from './devices-of-users.ts';

export interface Lookup {
  readonly devices: Collection<DeviceDocument>;
  readonly keys: IdentityKeys;
  readonly account: string;
  readonly application: string;
}

export type PresentDevice = Pick<DeviceDocument, 'seq' | 'platform' | 'th'>;

/** Concurrent calls share a query. */
export function presentDevices(db: Db): (ids: readonly string[]) => Promise<ReadonlyMap<string, PresentDevice>> {
  return sharedReads(async (ids) => {
    const filter = { _id: { $in: [...ids] }, status: 1 as const };
    const found = await findAll<DeviceDocument, PresentDevice & Pick<DeviceDocument, '_id'>>(db, DEVICES, filter, {
      projection: { seq: 1, platform: 1, th: 1 },
    });
    return new Map(found.map((device) => [device._id, device]));
  });
}

export interface HwidLookup extends Lookup {
  readonly present: ReturnType<typeof presentDevices>;
}

export interface Found {
  readonly seqs: ReadonlySet<Seq>;
  readonly platforms: ReadonlySet<number>;
  readonly unknown: readonly string[];
}

const isToken = ({ platform, token }: Pick<DeviceDocument, 'platform' | 'token'>, name: string): boolean =>
  token !== undefined && tokenText(platform, token) === tokenText(platform, name);

function hashesOf(names: Iterable<string>, { keys }: Lookup): Map<string, string[]> {
  const hashes = new Map<string, string[]>();
  for (const name of names) {
    for (const text of new Set([
      name,
      tokenText(Platform.iOS, name),
      ...(name.includes('@') ? addressTexts(name) : []),
    ])) {
      const hash = tokenHash(keys.token, text);
      const sharing = hashes.get(hash);
      if (sharing) sharing.push(name);
      else hashes.set(hash, [name]);
    }
  }
  return hashes;
}

interface Named {
  readonly seq: Seq;
  readonly hwid: string;
  readonly platform: number;
  readonly names: readonly string[];
}

export async function byToken(names: Iterable<string>, lookup: Lookup): Promise<Named[]> {
  const hashes = hashesOf(names, lookup);
  const found = await lookup.devices
    .find(
      { app: lookup.application, th: { $in: [...hashes.keys()] } },
      { projection: { _id: 0, seq: 1, hwid: 1, platform: 1, token: 1, th: 1 }, hint: deviceIndexes.token },
    )
    .toArray();
  return found.map((device) => ({
    seq: device.seq,
    hwid: device.hwid,
    platform: device.platform,
    names: hashes.get(device.th!)!.filter((name) => isToken(device, name)),
  }));
}

export async function findByHwid(
  names: readonly string[],
  lookup: HwidLookup,
  isTarget: (device: PresentDevice, name: string) => boolean = () => true,
): Promise<Found> {
  const { keys, account, application, present } = lookup;
  const given = names.map((hwid) => ({ account, application, hwid }));
  const contacts = await resolveContacts(given, lookup);
  const spellingsById = Map.groupBy(given, (one) =>
    deviceIdOf(application, hwidHashOf(keys.device, account, contacts.get(one) ?? one.hwid)),
  );
  const byId = await present([...spellingsById.keys()]);
  const seqs = new Set<Seq>();
  const platforms = new Set<number>();
  const unknown = new Set<string>();
  for (const [id, spellings] of spellingsById) {
    const device = byId.get(id);
    for (const { hwid } of spellings) {
      if (device && isTarget(device, hwid)) {
        seqs.add(device.seq);
        platforms.add(device.platform);
      } else unknown.add(hwid);
    }
  }
  return { seqs, platforms, unknown: [...unknown] };
}

const CONTACT_PLATFORMS: readonly number[] = [Platform.Email, Platform.Sms, Platform.WhatsApp];

export const findContacts = (names: readonly string[], lookup: HwidLookup): Promise<Found> =>
  findByHwid(names, lookup, ({ platform }) => CONTACT_PLATFORMS.includes(platform));

export async function findByToken(names: readonly string[], lookup: Lookup, platform?: PlatformCode): Promise<Found> {
  const found = (await byToken(names, lookup)).filter(
    (device) => device.names.length > 0 && (platform === undefined || device.platform === platform),
  );
  const matched = new Set(found.flatMap((device) => device.names));
  return {
    seqs: new Set(found.map(({ seq }) => seq)),
    platforms: new Set(found.map(({ platform }) => platform)),
    unknown: [...new Set(names)].filter((name) => !matched.has(name)),
  };
}

/** E-mail contacts match by hwid only if none has the name as address (R-E8). */
export async function findContactsOf(
  platform: PlatformCode,
  names: readonly string[],
  lookup: HwidLookup,
): Promise<Found> {
  if (platform !== Platform.Email) return findByHwid(names, lookup, (device) => device.platform === platform);
  const holders = await findByToken(names, lookup, platform);
  if (holders.unknown.length === 0) return holders;
  // An address that is another contact's hwid must not reach that contact.
  const isTarget = (device: PresentDevice, name: string): boolean =>
    device.platform === platform && (device.th === undefined || !name.includes('@'));
  return together(holders, await findByHwid(holders.unknown, lookup, isTarget));
}

const together = (first: Found, others: Found): Found => ({
  seqs: new Set([...first.seqs, ...others.seqs]),
  platforms: new Set([...first.platforms, ...others.platforms]),
  unknown: others.unknown,
});

export async function findDevices(names: readonly string[], lookup: HwidLookup): Promise<Found> {
  const found = await findByHwid(names, lookup);
  return found.unknown.length === 0 ? found : together(found, await findByToken(found.unknown, lookup));
}

type OfUser = Pick<DeviceDocument, '_id' | 'seq' | 'platform' | 'user' | 'token' | 'ta' | 'self' | 'createdAt'>;

/** By default the hash of the hwid, which the id ends with (R-RES3). */
const userOf = ({ _id, user }: OfUser): string => user ?? _id.slice(_id.indexOf(':') + 1);

/** @param among platforms of the message; empty = all */
export function latestOf(found: readonly OfUser[], among: readonly number[]): OfUser[] {
  const rank = (device: OfUser): readonly [boolean, number] => [device.token !== undefined, lastActivity(device)];
  const isLater = (a: OfUser, b: OfUser): boolean => {
    const [[aToken, aTime], [bToken, bTime]] = [rank(a), rank(b)];
    return aToken === bToken ? aTime > bTime : aToken;
  };
  const latest = new Map<string, OfUser>();
  for (const device of found) {
    if (among.length > 0 && !among.includes(device.platform)) continue;
    const current = latest.get(userOf(device));
    if (!current || isLater(device, current)) latest.set(userOf(device), device);
  }
  return [...latest.values()];
}

export async function findUsers(
  names: readonly string[],
  { devices, keys, account, application }: Lookup,
  latestAmong?: readonly number[],
): Promise<Found> {
  const users = new Map([...new Set(names)].map((name) => [hwidHashOf(keys.device, account, name), name]));
  const fields = ['seq', 'platform', 'user', 'token', 'ta', 'self', 'createdAt'] as const;
  const all: OfUser[] = await devicesOfUsers(devices, application, [...users.keys()], ['_id', ...fields]);
  const found = latestAmong ? latestOf(all, latestAmong) : all;
  for (const device of all) users.delete(userOf(device));
  return {
    seqs: new Set(found.map(({ seq }) => seq)),
    platforms: new Set(found.map(({ platform }) => platform)),
    unknown: [...users.values()],
  };
}

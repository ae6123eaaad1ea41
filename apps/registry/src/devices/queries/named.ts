import { deviceIdOf, hwidHashOf } from '@tidings/audience';
import type { Seq } from '@tidings/kernel';
import type { Collection } from 'mongodb';
import { type IdentityKeys, tokenHash, tokenText } from '../commands/action-of-command.ts';
import { contactsMeant } from './contacts-meant.ts';
import { type DeviceDocument, deviceIndexes } from '../storage/device-document.ts';
import { devicesOfUsers } from './devices-of-users.ts';

/** The scope of a lookup by name. */
export interface Lookup {
  readonly devices: Collection<DeviceDocument>;
  readonly keys: IdentityKeys;
  readonly account: string;
  readonly application: string;
}

export interface Found {
  readonly seqs: ReadonlySet<Seq>;
  /** Platforms of the devices. */
  readonly platforms: ReadonlySet<number>;
  /** Names without a match, as given, without duplicates. */
  readonly unknown: readonly string[];
}

const isToken = ({ platform, token }: Pick<DeviceDocument, 'platform' | 'token'>, name: string): boolean =>
  token === tokenText(platform, name);

/** The names by the hash of the token that they would be. */
function hashesOf(names: Iterable<string>, { keys }: Lookup): Map<string, string[]> {
  const hashes = new Map<string, string[]>();
  for (const name of names) {
    for (const text of new Set([name, name.toLowerCase()])) {
      const hash = tokenHash(keys.token, text);
      const known = hashes.get(hash);
      if (known) known.push(name);
      else hashes.set(hash, [name]);
    }
  }
  return hashes;
}

/** A device, and the names that match it. */
interface Named {
  readonly seq: Seq;
  readonly hwid: string;
  readonly platform: number;
  readonly names: readonly string[];
}

/** Devices whose push token is one of the names, each with the matching names. */
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

/** Devices by hwid, else by push token (R-I4). */
export async function findDevices(names: readonly string[], lookup: Lookup): Promise<Found> {
  const { devices, keys, account, application } = lookup;
  const given = names.map((hwid) => ({ account, application, hwid }));
  const meant = await contactsMeant(given, lookup);
  const wanted = new Map(
    given.map((one) => {
      const hwidHash = hwidHashOf(keys.device, account, meant.get(one) ?? one.hwid);
      return [deviceIdOf(application, hwidHash), one.hwid];
    }),
  );
  const byHwid = await devices
    .find({ _id: { $in: [...wanted.keys()] }, status: 1 }, { projection: { seq: 1, platform: 1 } })
    .toArray();
  for (const { _id } of byHwid) wanted.delete(_id);
  const seqs = new Set(byHwid.map(({ seq }) => seq));
  const platforms = new Set(byHwid.map(({ platform }) => platform));
  const unknown = new Set(wanted.values());
  if (unknown.size > 0) {
    for (const found of await byToken([...unknown], lookup)) {
      if (found.names.length === 0) continue;
      seqs.add(found.seq);
      platforms.add(found.platform);
      for (const name of found.names) unknown.delete(name);
    }
  }
  return { seqs, platforms, unknown: [...unknown] };
}

/** All devices of these users; unknown users are ignored (R-I4). */
export async function findUsers(
  names: readonly string[],
  { devices, keys, account, application }: Lookup,
): Promise<Found> {
  const users = [...new Set(names)].map((name) => hwidHashOf(keys.device, account, name));
  const found = await devicesOfUsers(devices, application, users, ['seq', 'platform']);
  return {
    seqs: new Set(found.map(({ seq }) => seq)),
    platforms: new Set(found.map(({ platform }) => platform)),
    unknown: [],
  };
}

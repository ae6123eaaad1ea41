import { deviceIdOf, lowerSpelling, personOf } from '@tidings/audience';
import { Platform } from '@tidings/kernel';
import type { Collection } from 'mongodb';
import type { IdentityKeys } from './action.ts';
import type { DeviceDocument } from './document.ts';

interface GivenHwid {
  readonly account: string;
  readonly application: string;
  readonly hwid: string;
}

/** Who names a contact of mail by its address in another case means that contact, unless a device has the very hwid (R-E1): its hwid. */
export async function contactsMeant<Given extends GivenHwid>(
  given: readonly Given[],
  { devices, keys }: { readonly devices: Collection<DeviceDocument>; readonly keys: IdentityKeys },
): Promise<ReadonlyMap<Given, string>> {
  const candidates: {
    readonly one: Given;
    readonly lower: string;
    readonly exact: string;
    readonly contact: string;
  }[] = [];
  for (const one of given) {
    const lower = lowerSpelling(one.hwid);
    if (lower === undefined) continue;
    const idOf = (hwid: string): string => deviceIdOf(one.application, personOf(keys.device, one.account, hwid));
    candidates.push({ one, lower, exact: idOf(one.hwid), contact: idOf(lower) });
  }
  if (candidates.length === 0) return new Map();
  const ids = candidates.flatMap(({ exact, contact }) => [exact, contact]);
  const found = await devices.find({ _id: { $in: ids }, status: 1 }, { projection: { platform: 1 } }).toArray();
  const platforms = new Map(found.map(({ _id, platform }) => [_id, platform]));
  const meant = candidates.filter(
    ({ exact, contact }) => !platforms.has(exact) && platforms.get(contact) === Platform.Email,
  );
  return new Map(meant.map(({ one, lower }) => [one, lower]));
}

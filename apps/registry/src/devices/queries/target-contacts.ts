import { type CanonicalContact, canonicalContact, deviceIdOf, hwidHashOf } from '@tidings/audience';
import type { DeviceDocument } from '@tidings/registry-store';
import type { Collection } from 'mongodb';
import type { IdentityKeys } from '../../identities/identity-keys.ts';

interface GivenHwid {
  readonly account: string;
  readonly application: string;
  readonly hwid: string;
}

/** Other spellings count, unless a device matches exactly (R-E1, R-C2). */
export async function resolveContacts<Given extends GivenHwid>(
  given: readonly Given[],
  { devices, keys }: { readonly devices: Collection<DeviceDocument>; readonly keys: IdentityKeys },
): Promise<ReadonlyMap<Given, string>> {
  const candidates: {
    readonly one: Given;
    readonly contact: CanonicalContact;
    readonly exact: string;
    readonly id: string;
  }[] = [];
  for (const one of given) {
    const contact = canonicalContact(one.hwid);
    if (contact === undefined) continue;
    const idOf = (hwid: string): string => deviceIdOf(one.application, hwidHashOf(keys.device, one.account, hwid));
    candidates.push({ one, contact, exact: idOf(one.hwid), id: idOf(contact.hwid) });
  }
  if (candidates.length === 0) return new Map();
  const ids = candidates.flatMap(({ exact, id }) => [exact, id]);
  const found = await devices.find({ _id: { $in: ids }, status: 1 }, { projection: { platform: 1 } }).toArray();
  const platforms = new Map(found.map(({ _id, platform }) => [_id, platform]));
  const targets = candidates.filter(
    ({ exact, id, contact }) => !platforms.has(exact) && platforms.get(id) === contact.platform,
  );
  return new Map(targets.map(({ one, contact }) => [one, contact.hwid]));
}

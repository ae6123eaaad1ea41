import { cooldownsOf, type EnteredZone, sendingZones, type Visitor } from '@tidings/audience';
import type { DeviceDocument } from '@tidings/registry-store';
import type { Db } from 'mongodb';
import type { AccountStore } from '../accounts/account-store.ts';
import { isAtCap } from './frequency-cap.ts';
import { COOLDOWNS, type CooldownState } from './visit-log.ts';

export interface ExclusionDeps {
  readonly db: Db;
  readonly store: Pick<AccountStore, 'application'>;
}

interface Entry {
  readonly application: string;
  readonly device: Pick<DeviceDocument, 'seq' | 'cg'>;
  readonly visitor: Visitor;
  readonly zones: readonly EnteredZone[];
  readonly at: Date;
}

/** Saves reading the counted sends; the log decides later. */
async function mayReceive(db: Db, { visitor, zones, at }: Entry): Promise<boolean> {
  const ids = zones.flatMap((zone) => cooldownsOf(zone, visitor)).map(({ id }) => id);
  const cooldowns = db.collection<CooldownState & { readonly _id: string }>(COOLDOWNS);
  const cooldownStarts = new Map<string, Date>();
  for (const { _id, at: since } of await cooldowns.find({ _id: { $in: ids } }).toArray())
    cooldownStarts.set(_id, since);
  return sendingZones(zones, visitor, (id) => cooldownStarts.get(id), at).length > 0;
}

/** In the control group or at the frequency cap; no cooldown begins (R-F4). */
export async function isExcluded({ db, store }: ExclusionDeps, entry: Entry): Promise<boolean> {
  const { application, device, at } = entry;
  const found = await store.application(application);
  if (device.cg < (found?.controlBuckets ?? 0)) return true;
  const cap = found?.capping;
  if (!cap || !(await mayReceive(db, entry))) return false;
  return isAtCap(db, { application, seq: device.seq }, cap, at.getTime());
}

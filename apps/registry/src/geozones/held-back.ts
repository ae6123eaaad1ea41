import { cooldownsOf, type EnteredZone, sendingZones, type Visitor } from '@tidings/audience';
import type { DeviceDocument } from '@tidings/registry-store';
import type { Db } from 'mongodb';
import type { AccountStore } from '../accounts/account-store.ts';
import { isAtCap } from './frequency-cap.ts';
import { COOLDOWNS, type CooldownState } from './visit-log.ts';

export interface HeldBackDeps {
  readonly db: Db;
  readonly store: Pick<AccountStore, 'application'>;
}

/** A device's entry into zones. */
interface Entry {
  readonly application: string;
  readonly device: Pick<DeviceDocument, 'seq' | 'cg'>;
  readonly visitor: Visitor;
  readonly zones: readonly EnteredZone[];
  readonly at: Date;
}

/** Whether a cooldown of a zone is over, as far as is stored. The log decides later; this saves reading the counted sends, which are much larger. */
async function mayReceive(db: Db, { visitor, zones, at }: Entry): Promise<boolean> {
  const ids = zones.flatMap((zone) => cooldownsOf(zone, visitor)).map(({ id }) => id);
  const cooldowns = db.collection<CooldownState & { readonly _id: string }>(COOLDOWNS);
  const begun = new Map<string, Date>();
  for (const { _id, at: since } of await cooldowns.find({ _id: { $in: ids } }).toArray()) begun.set(_id, since);
  return sendingZones(zones, visitor, (id) => begun.get(id), at).length > 0;
}

/**
 * Whether the device that enters zones gets no message of them, and so begins no cooldown (R-F4): it is in the control group, or it has reached the
 * application's frequency cap by the sends planned so far. A cap that it reaches before its message is planned is not foreseen.
 */
export async function isHeldBack({ db, store }: HeldBackDeps, entry: Entry): Promise<boolean> {
  const { application, device, at } = entry;
  const found = await store.application(application);
  if (device.cg < (found?.controlBuckets ?? 0)) return true;
  const cap = found?.capping;
  if (!cap || !(await mayReceive(db, entry))) return false;
  return isAtCap(db, { application, seq: device.seq }, cap, at.getTime());
}

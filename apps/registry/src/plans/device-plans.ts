import { deviceIdOf, hwidHashOf } from '@tidings/audience';
import { fanoutId, idsBelow, sliceSizeOf } from '@tidings/delivery';
import type { ChunkPlanned } from '@tidings/events';
import { Bitmap, chunkOf, positionOf } from '@tidings/kernel';
import {
  type DeviceDocument,
  DEVICES,
  FANOUTS,
  type FanoutState,
  type PlanDocument,
  PLANS,
  plannedOf,
} from '@tidings/registry-store';
import type { PlannedDevice, Plans, PlansOfDeviceReply } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { DevicesDeps } from '../devices/commands/apply.ts';
import { resolveContacts } from '../devices/queries/target-contacts.ts';

/** A message that recipients join has a plan per recipient. */
const MAX_SHOWN = 100;
const MAX_READ = 5_000;

const has = ({ set }: { readonly set: Uint8Array }, position: number): boolean => Bitmap.decode(set).has(position);

type Placement = Omit<PlannedDevice, 'bucket' | 'at'>;

function placementAmong(
  { eligible, excluded }: Pick<ChunkPlanned, 'eligible' | 'excluded'>,
  position: number,
): Pick<Placement, 'platform' | 'excluded'> | undefined {
  const out = excluded.find((set) => has(set, position));
  if (out) return { platform: out.platform, excluded: out.reason };
  const found = eligible.find((set) => has(set, position));
  return found && { platform: found.platform, excluded: '' };
}

export function placementIn(planned: ChunkPlanned, position: number): Placement | undefined {
  const { inbox } = planned;
  const pushed = placementAmong(planned, position);
  const placement = pushed ?? (inbox && placementAmong(inbox, position));
  if (!placement) return undefined;
  const inboxOnly = pushed === undefined;
  const inboxUntil = inbox && placement.excluded === '' ? new Date(Number(inbox.removal) * 1000) : undefined;
  const nothing = { failure: undefined, slice: undefined };
  return {
    ...placement,
    inboxOnly,
    inboxUntil,
    ...(inboxOnly || placement.excluded !== '' ? nothing : sendIn(planned, position)),
  };
}

function sendIn(planned: ChunkPlanned, position: number): Pick<Placement, 'failure' | 'slice'> {
  const failure = planned.failed.find((set) => has(set, position));
  const recipients = planned.sendable.find((set) => has(set, position));
  return {
    failure: failure && { category: failure.category, code: failure.code, name: failure.name },
    slice: recipients && {
      variant: recipients.variant,
      number: Math.floor(Bitmap.decode(recipients.set).rank(position) / sliceSizeOf(planned)),
    },
  };
}

const UNKNOWN: PlansOfDeviceReply = {
  device: undefined,
  split: false,
  undecided: false,
  decided: 0,
  decidedAt: undefined,
  plans: [],
};

async function deviceNamed(
  { db, keys }: Pick<DevicesDeps, 'db' | 'keys'>,
  of: { readonly account: string; readonly application: string; readonly hwid: string },
): Promise<DeviceDocument | null> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  const contacts = await resolveContacts([of], { devices, keys });
  const hwidHash = hwidHashOf(keys.device, of.account, contacts.get(of) ?? of.hwid);
  const projection = { seq: 1, status: 1, platform: 1, th: 1, createdAt: 1 };
  return devices.findOne({ _id: deviceIdOf(of.application, hwidHash) }, { projection });
}

const ofBuckets = (message: string, end: string) => ({
  $and: [{ _id: idsBelow(message) }, { _id: { $regex: `^${message}/\\d+/${end}$` } }],
});

const bucketOf = (id: string): number => Number(id.split('/')[1]);

export function plansRpc(deps: Pick<DevicesDeps, 'db' | 'keys' | 'owners'>): Plans {
  const { db, owners } = deps;
  return {
    async ofDevice({ account, application, message, hwid }) {
      await owners.learn([application]);
      if (!owners.owns(account, application)) return UNKNOWN;
      const found = await deviceNamed(deps, { account, application, hwid });
      if (!found) return UNKNOWN;
      const isDeleted = found.status !== 1;
      const device = {
        seq: found.seq,
        deleted: isDeleted,
        platform: isDeleted ? 0 : found.platform,
        hasToken: !isDeleted && found.th !== undefined,
        createdAt: isDeleted ? undefined : new Date(found.createdAt),
      };
      return { device, ...(await decisionsOn(db, { application, message, seq: found.seq })) };
    },
  };
}

async function decisionsOn(
  db: Db,
  { application, message, seq }: { readonly application: string; readonly message: string; readonly seq: number },
): Promise<Omit<PlansOfDeviceReply, 'device'>> {
  const [chunk, position] = [chunkOf(seq), positionOf(seq)];
  const splits = await db
    .collection<FanoutState & { readonly _id: string }>(FANOUTS)
    .find(ofBuckets(message, application))
    .limit(MAX_READ)
    .toArray();
  const concerned = splits.filter(({ chunks }) => chunks.includes(chunk));
  const plansOf = (number: number) =>
    db
      .collection<PlanDocument>(PLANS)
      .find(ofBuckets(message, `${application}/${number}`))
      .limit(MAX_READ)
      .toArray();
  const stored = await plansOf(chunk);
  // A fan-out with one chunk is not stored apart.
  const isSplit = splits.length > 0 || [...stored, ...(await plansOf(0))].some((each) => plannedOf(each).only);
  const decided = new Set(stored.map(({ _id }) => _id));
  const plans = stored.flatMap((document): PlannedDevice[] => {
    const place = placementIn(plannedOf(document), position);
    return place ? [{ bucket: bucketOf(document._id), at: document.at, ...place }] : [];
  });
  const times = stored.map(({ at }) => at.getTime());
  return {
    split: isSplit,
    undecided: concerned.some(({ _id }) => {
      const key = { message, bucket: bucketOf(_id), application };
      return !decided.has(`${fanoutId(key)}/${chunk}`);
    }),
    decided: stored.length,
    decidedAt: times.length > 0 ? new Date(Math.min(...times)) : undefined,
    plans: plans.sort((a, b) => a.bucket - b.bucket).slice(-MAX_SHOWN),
  };
}

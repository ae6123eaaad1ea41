import { hasOwnerEnded, type LeaseOwner, type ProcessIdentity, SeenLeases } from '@tidings/coordination';
import { systemClock } from '@tidings/kernel';
import type { Collection } from 'mongodb';
import { date, type Fields, optional, text } from './models/fields.ts';
import { processIdentity } from './storage/leases.schema.ts';

export interface PresenceDocument {
  readonly _id: string;
  readonly until: Date;
  /** Absent if other processes cannot see whether the owner has ended. */
  readonly process?: ProcessIdentity;
}

/** The fields of a collection of owners. */
export const presenceFields: Fields<PresenceDocument> = { _id: text, until: date, process: optional(processIdentity) };

/** Stores the time until which each of many owners is alive and keeps what it has taken, and judges others by their renewals ({@link SeenLeases}). */
export interface Presence {
  /** Sets the time of an owner, in milliseconds since 1970: each renewal changes it. */
  renew(owner: LeaseOwner, until: number): Promise<void>;
  /** The owners that are alive, as far as the looks of this process show. @param ids @default all */
  alive(ids?: readonly string[]): Promise<ReadonlySet<string>>;
  /** Ends owners before their time. */
  end(ids: readonly string[]): Promise<void>;
  /** Removes owners whose time was over this long ago. */
  forget(agoMs: number): Promise<void>;
}

export interface PresenceOptions {
  /** Time for which an owner is alive after each renewal. */
  readonly lengthMs: number;
  /** @default the system's */
  readonly clock?: typeof systemClock;
}

export function presenceIn(
  owners: Collection<PresenceDocument>,
  { lengthMs, clock = systemClock }: PresenceOptions,
): Presence {
  const seen = new SeenLeases({ lengthMs, steady: () => clock.steady() });
  return {
    async renew({ id, process }, until) {
      const update = { $set: { until: new Date(until), ...(process && { process }) } };
      await owners.updateOne({ _id: id }, update, { upsert: true });
    },
    async alive(ids) {
      const found = await owners.find(ids ? { _id: { $in: [...ids] } } : {}).toArray();
      if (!ids) seen.keepOnly(new Set(found.map(({ _id }) => _id)));
      const isAlive = ({ _id, until, process }: PresenceDocument): boolean =>
        !seen.isOver(_id, until.getTime(), clock.now()) && !hasOwnerEnded({ id: _id, process });
      return new Set(found.filter(isAlive).map(({ _id }) => _id));
    },
    async end(ids) {
      await owners.deleteMany({ _id: { $in: [...ids] } });
    },
    async forget(agoMs) {
      await owners.deleteMany({ until: { $lt: new Date(clock.surely() - agoMs) } });
    },
  };
}

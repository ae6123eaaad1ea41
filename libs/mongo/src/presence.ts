import { hasOwnerEnded, type LeaseOwner, type ProcessIdentity } from '@tidings/coordination';
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

/** Stores the time until which each of many owners is alive and keeps what it has taken. Clocks of owners must agree to within a second. */
export interface Presence {
  /** Extends the time of an owner to `until`, in milliseconds since 1970; never shortens it. */
  renew(owner: LeaseOwner, until: number): Promise<void>;
  /** The owners whose time is not over and whose process is not known to have ended. @param ids @default all */
  alive(now: number, ids?: readonly string[]): Promise<ReadonlySet<string>>;
  /** Ends owners before their time. */
  end(ids: readonly string[]): Promise<void>;
  /** Removes owners whose time was over before then. */
  forget(before: number): Promise<void>;
}

export function presenceIn(owners: Collection<PresenceDocument>): Presence {
  return {
    async renew({ id, process }, until) {
      const update = { $max: { until: new Date(until) }, ...(process && { $set: { process } }) };
      await owners.updateOne({ _id: id }, update, { upsert: true });
    },
    async alive(now, ids) {
      const living = { ...(ids && { _id: { $in: [...ids] } }), until: { $gt: new Date(now) } };
      const found = await owners.find(living, { projection: { process: 1 } }).toArray();
      return new Set(found.filter(({ _id, process }) => !hasOwnerEnded({ id: _id, process })).map(({ _id }) => _id));
    },
    async end(ids) {
      await owners.deleteMany({ _id: { $in: [...ids] } });
    },
    async forget(before) {
      await owners.deleteMany({ until: { $lt: new Date(before) } });
    },
  };
}

import { hasOwnerEnded, type LeaseOwner, type ProcessIdentity, LeaseObserver } from '@tidings/coordination';
import { systemClock } from '@tidings/kernel';
import type { Collection } from 'mongodb';
import { date, type Fields, optional, text } from './models/fields.ts';
import { processIdentity } from './storage/leases.schema.ts';

export interface PresenceDocument {
  readonly _id: string;
  readonly until: Date;
  readonly process?: ProcessIdentity;
}

export const presenceFields: Fields<PresenceDocument> = { _id: text, until: date, process: optional(processIdentity) };

export interface Presence {
  /** @param until milliseconds since 1970; each renewal changes it */
  renew(owner: LeaseOwner, until: number): Promise<void>;
  alive(ids?: readonly string[]): Promise<ReadonlySet<string>>;
  end(ids: readonly string[]): Promise<void>;
  forget(agoMs: number): Promise<void>;
}

export interface PresenceOptions {
  readonly lengthMs: number;
  readonly clock?: typeof systemClock;
}

export function presenceIn(
  owners: Collection<PresenceDocument>,
  { lengthMs, clock = systemClock }: PresenceOptions,
): Presence {
  const observer = new LeaseObserver({ lengthMs, steady: () => clock.steady() });
  return {
    async renew({ id, process }, until) {
      const update = { $set: { until: new Date(until), ...(process && { process }) } };
      await owners.updateOne({ _id: id }, update, { upsert: true });
    },
    async alive(ids) {
      const found = await owners.find(ids ? { _id: { $in: [...ids] } } : {}).toArray();
      if (!ids) observer.removeExcept(new Set(found.map(({ _id }) => _id)));
      const isAlive = ({ _id, until, process }: PresenceDocument): boolean =>
        !observer.isOver(_id, until.getTime(), clock.now()) && !hasOwnerEnded({ id: _id, process });
      return new Set(found.filter(isAlive).map(({ _id }) => _id));
    },
    async end(ids) {
      await owners.deleteMany({ _id: { $in: [...ids] } });
    },
    async forget(agoMs) {
      await owners.deleteMany({ until: { $lt: new Date(clock.trusted() - agoMs) } });
    },
  };
}

import { randomUUID } from 'node:crypto';
import {
  registerOwner,
  type ExclusiveData,
  unregisterOwner,
  hasOwnerEnded,
  type LeaseOwner,
} from '@tidings/coordination';
import type { Clock } from '@tidings/kernel';
import type { Collection, Db } from 'mongodb';
import { collectionOf } from './models/model.ts';
import { isDuplicateKey } from './duplicate-key.ts';
import { type LeaseDocument, leasesModel } from './storage/leases.schema.ts';

const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;

export const leasesOf = (db: Db): Collection<LeaseDocument> => collectionOf(db, leasesModel);

export interface FollowOptions {
  readonly withTimeout?: <T>(command: Promise<T>) => Promise<T>;
}

const unbounded = <T>(command: Promise<T>): Promise<T> => command;

/** Durable compare-and-set. @param holder null if there was no lease */
export async function followHolder(
  leases: Collection<LeaseDocument>,
  holder: LeaseDocument | null | undefined,
  { _id, ...mine }: LeaseDocument,
  { withTimeout = unbounded }: FollowOptions = {},
): Promise<boolean> {
  if (holder) {
    const same = { _id, owner: holder.owner, until: holder.until };
    return (await withTimeout(leases.replaceOne(same, mine, DURABLE))).matchedCount === 1;
  }
  try {
    await withTimeout(leases.insertOne({ _id, ...mine }, DURABLE));
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

export interface LeaseOptions extends FollowOptions {
  /** Holders' clocks must agree to within a second. */
  readonly clock: Clock;
  readonly lengthMs: number;
  /** @default false */
  readonly reportsRivals?: boolean;
}

interface ObservedLease extends Pick<LeaseDocument, 'owner' | 'until'> {
  readonly at: number;
}

/** Two holders are rare but possible: the work must tolerate them. */
export class Lease {
  readonly #leases: Collection<LeaseDocument>;
  readonly #name: string;
  readonly #options: LeaseOptions;
  readonly #withTimeout: NonNullable<FollowOptions['withTimeout']>;
  readonly #id = randomUUID();
  #validUntil = -Infinity;
  /** An acquisition without an answer may have succeeded. */
  #mayBeOurs = false;
  #hasRival = false;
  #observed: ObservedLease | undefined;
  #taking: Promise<boolean> | undefined;

  constructor(db: Db, name: string, options: LeaseOptions) {
    this.#leases = leasesOf(db);
    this.#name = name;
    this.#options = options;
    this.#withTimeout = options.withTimeout ?? unbounded;
  }

  get isHeld(): boolean {
    return performance.now() < this.#validUntil;
  }

  get hasRival(): boolean {
    return this.#hasRival;
  }

  /** Rejects if the store does not answer. */
  take(): Promise<boolean> {
    this.#taking ??= this.#take().finally(() => (this.#taking = undefined));
    return this.#taking;
  }

  async release(): Promise<void> {
    this.#validUntil = -Infinity;
    unregisterOwner(this.#id);
    await this.#withTimeout(this.#leases.deleteOne(this.#ownFilter));
    this.#mayBeOurs = false;
  }

  async #take(): Promise<boolean> {
    const startedAt = performance.now();
    const owner = registerOwner(this.#id);
    const isAcquired = (this.#mayBeOurs && (await this.#renew())) || (await this.#acquire(owner));
    this.#validUntil = isAcquired ? startedAt + this.#options.lengthMs : -Infinity;
    if (!isAcquired) unregisterOwner(this.#id);
    return isAcquired;
  }

  get #ownFilter(): { readonly _id: string; readonly owner: string } {
    return { _id: this.#name, owner: this.#id };
  }

  async #renew(): Promise<boolean> {
    const { clock, lengthMs } = this.#options;
    const until = new Date(clock.now() + lengthMs);
    const lease = await this.#withTimeout(this.#leases.findOneAndUpdate(this.#ownFilter, { $set: { until } }, DURABLE));
    this.#hasRival = lease?.rivalAt !== undefined && lease.rivalAt.getTime() > clock.now() - lengthMs;
    return lease !== null;
  }

  async #acquire({ process }: LeaseOwner): Promise<boolean> {
    const { clock, lengthMs, reportsRivals } = this.#options;
    const now = new Date(clock.now());
    const holder = await this.#withTimeout(this.#leases.findOne({ _id: this.#name }));
    const isOthers = holder !== null && holder.owner !== this.#id;
    if (isOthers && !this.#isOver(holder, now)) {
      const { _id, owner } = holder;
      if (reportsRivals) await this.#withTimeout(this.#leases.updateOne({ _id, owner }, { $set: { rivalAt: now } }));
      return false;
    }
    const renewed = { ...this.#ownFilter, until: new Date(now.getTime() + lengthMs), ...(process && { process }) };
    this.#mayBeOurs = true;
    return (this.#mayBeOurs = await followHolder(this.#leases, holder, renewed, { withTimeout: this.#withTimeout }));
  }

  #isOver({ owner, process, until }: LeaseDocument, now: Date): boolean {
    if (until <= now || hasOwnerEnded({ id: owner, process })) return true;
    const same =
      this.#observed?.owner === owner && this.#observed.until.getTime() === until.getTime()
        ? this.#observed
        : undefined;
    this.#observed = same ?? { owner, until, at: performance.now() };
    // A clock that was set back leaves a lease's end in the future.
    return performance.now() - this.#observed.at > this.#options.lengthMs;
  }
}

export type TakenLease = Pick<Lease, 'isHeld' | 'hasRival' | 'take' | 'release'>;

/** Without a command where the data have no other process: it holds every lease as long as it holds the data. */
export function openLease(
  db: Db,
  name: string,
  { exclusive, ...options }: LeaseOptions & { readonly exclusive: ExclusiveData | undefined },
): TakenLease {
  return exclusive ? leaseWith(exclusive) : new Lease(db, name, options);
}

function leaseWith(data: ExclusiveData): TakenLease {
  let isTaken = false;
  return {
    // After an interruption the lease counts as lost until it is taken again.
    get isHeld() {
      return (isTaken &&= data.isHeld);
    },
    hasRival: false,
    take: async () => (isTaken = data.isHeld),
    async release() {
      isTaken = false;
    },
  };
}

export interface Reservation {
  /** Not a process: only time ends the reservation. */
  readonly owner: string;
  readonly clock: Clock;
  readonly lengthMs: number;
}

export async function reserve(db: Db, name: string, { owner, clock, lengthMs }: Reservation): Promise<boolean> {
  const now = clock.now();
  const ownOrExpired = { _id: name, $or: [{ owner }, { until: { $lte: new Date(now) } }] };
  try {
    await leasesOf(db).updateOne(ownOrExpired, { $set: { owner, until: new Date(now + lengthMs) } }, { upsert: true });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

export async function releaseAll(db: Db, names: readonly string[], owner: string): Promise<void> {
  await leasesOf(db).deleteMany({ _id: { $in: [...names] }, owner });
}

export async function removeLeases(db: Db, prefix: string, before: Date): Promise<void> {
  const names = { $gte: prefix, $lt: `${prefix}\uffff` };
  await leasesOf(db).deleteMany({ _id: names, until: { $lt: before } });
}

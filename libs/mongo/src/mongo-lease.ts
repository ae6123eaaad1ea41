import { randomUUID } from 'node:crypto';
import { beginOwner, endOwner, hasOwnerEnded, type LeaseOwner } from '@tidings/coordination';
import type { Clock } from '@tidings/kernel';
import type { Collection, Db } from 'mongodb';
import { collectionOf } from './models/model.ts';
import { isDuplicateKey } from './duplicate-key.ts';
import { type LeaseDocument, leasesModel } from './storage/leases.schema.ts';

const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;

/** The leases of a database. */
export const leasesOf = (db: Db): Collection<LeaseDocument> => collectionOf(db, leasesModel);

export interface FollowOptions {
  /** Bounds each command. @default not at all */
  readonly answered?: <T>(command: Promise<T>) => Promise<T>;
}

const unbounded = <T>(command: Promise<T>): Promise<T> => command;

/**
 * Replaces a lease durably if it is unchanged: the compare-and-set that all leases rest on. Resolves to false if another process was faster.
 * @param holder the lease as it was read; null if there was none
 */
export async function followHolder(
  leases: Collection<LeaseDocument>,
  holder: LeaseDocument | null | undefined,
  { _id, ...mine }: LeaseDocument,
  { answered = unbounded }: FollowOptions = {},
): Promise<boolean> {
  if (holder) {
    const same = { _id, owner: holder.owner, until: holder.until };
    return (await answered(leases.replaceOne(same, mine, DURABLE))).matchedCount === 1;
  }
  try {
    await answered(leases.insertOne({ _id, ...mine }, DURABLE));
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

export interface LeaseOptions extends FollowOptions {
  /** The clock of the lease; the clocks of its holders must agree to within a second. */
  readonly clock: Clock;
  /** The duration of the lease after each {@link Lease.take}. */
  readonly lengthMs: number;
  /** Whether the holder learns by {@link Lease.hasRival} that another process wants the lease. @default false */
  readonly tellsHolder?: boolean;
}

/** The lease of another process as it was read, and when that was, by `performance.now()`. */
interface SeenLease extends Pick<LeaseDocument, 'owner' | 'until'> {
  readonly at: number;
}

/**
 * A lease in the collection `leases`: the right to do some work alone, renewed by {@link take}. If the process of its holder is known to have ended,
 * another one gets it at once. A lease that stays the same for its length, by the steady clock of the process that asks for it, is over too. Two
 * holders at a time are rare but possible, and the guarded work must tolerate them.
 */
export class Lease {
  readonly #leases: Collection<LeaseDocument>;
  readonly #name: string;
  readonly #options: LeaseOptions;
  readonly #answered: NonNullable<FollowOptions['answered']>;
  readonly #id = randomUUID();
  #heldUntil = -Infinity;
  /** Whether the stored lease may be this one's: an acquisition without an answer may have succeeded. */
  #mayBeOurs = false;
  #hasRival = false;
  #seen: SeenLease | undefined;
  #taking: Promise<boolean> | undefined;

  constructor(db: Db, name: string, options: LeaseOptions) {
    this.#leases = leasesOf(db);
    this.#name = name;
    this.#options = options;
    this.#answered = options.answered ?? unbounded;
  }

  /** Whether this process holds the lease, by its own clock, counted from before the last renewal was sent. */
  get held(): boolean {
    return performance.now() < this.#heldUntil;
  }

  /** True when another process has asked for the lease within its length. */
  get hasRival(): boolean {
    return this.#hasRival;
  }

  /** Takes or renews the lease; concurrent calls share one attempt. Resolves to false if another process holds it; rejects if the store does not answer. */
  take(): Promise<boolean> {
    this.#taking ??= this.#take().finally(() => (this.#taking = undefined));
    return this.#taking;
  }

  /** Ends the lease: another process can take it at once. */
  async release(): Promise<void> {
    this.#heldUntil = -Infinity;
    endOwner(this.#id);
    await this.#answered(this.#leases.deleteOne(this.#mine));
    this.#mayBeOurs = false;
  }

  async #take(): Promise<boolean> {
    const asked = performance.now();
    const owner = beginOwner(this.#id);
    const taken = (this.#mayBeOurs && (await this.#renew())) || (await this.#acquire(owner));
    this.#heldUntil = taken ? asked + this.#options.lengthMs : -Infinity;
    if (!taken) endOwner(this.#id);
    return taken;
  }

  get #mine(): { readonly _id: string; readonly owner: string } {
    return { _id: this.#name, owner: this.#id };
  }

  async #renew(): Promise<boolean> {
    const { clock, lengthMs } = this.#options;
    const until = new Date(clock.now() + lengthMs);
    const lease = await this.#answered(this.#leases.findOneAndUpdate(this.#mine, { $set: { until } }, DURABLE));
    this.#hasRival = lease?.rivalAt !== undefined && lease.rivalAt.getTime() > clock.now() - lengthMs;
    return lease !== null;
  }

  async #acquire({ process }: LeaseOwner): Promise<boolean> {
    const { clock, lengthMs, tellsHolder } = this.#options;
    const now = new Date(clock.now());
    const holder = await this.#answered(this.#leases.findOne({ _id: this.#name }));
    const isOthers = holder !== null && holder.owner !== this.#id;
    if (isOthers && !this.#isOver(holder, now)) {
      const { _id, owner } = holder;
      if (tellsHolder) await this.#answered(this.#leases.updateOne({ _id, owner }, { $set: { rivalAt: now } }));
      return false;
    }
    const mine = { ...this.#mine, until: new Date(now.getTime() + lengthMs), ...(process && { process }) };
    this.#mayBeOurs = true;
    return (this.#mayBeOurs = await followHolder(this.#leases, holder, mine, { answered: this.#answered }));
  }

  #isOver({ owner, process, until }: LeaseDocument, now: Date): boolean {
    if (until <= now || hasOwnerEnded({ id: owner, process })) return true;
    const same = this.#seen?.owner === owner && this.#seen.until.getTime() === until.getTime() ? this.#seen : undefined;
    this.#seen = same ?? { owner, until, at: performance.now() };
    // A clock that was set back leaves the end of a lease in the future. Each renewal changes it.
    return performance.now() - this.#seen.at > this.#options.lengthMs;
  }
}

export interface Reservation {
  /** The owner. It is not a process, so only time ends the reservation. */
  readonly owner: string;
  readonly clock: Clock;
  readonly lengthMs: number;
}

/** Reserves a name among the leases by one write, or renews the reservation; false while another owner has it. */
export async function reserve(db: Db, name: string, { owner, clock, lengthMs }: Reservation): Promise<boolean> {
  const now = clock.now();
  const mine = { _id: name, $or: [{ owner }, { until: { $lte: new Date(now) } }] };
  try {
    await leasesOf(db).updateOne(mine, { $set: { owner, until: new Date(now + lengthMs) } }, { upsert: true });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Ends reservations of an owner; those of others stay. */
export async function releaseAll(db: Db, names: readonly string[], owner: string): Promise<void> {
  await leasesOf(db).deleteMany({ _id: { $in: [...names] }, owner });
}

/** Removes leases whose names begin with `prefix` and that ended before a time: a killed process does not release its own. */
export async function removeLeases(db: Db, prefix: string, before: Date): Promise<void> {
  const names = { $gte: prefix, $lt: `${prefix}\uffff` };
  await leasesOf(db).deleteMany({ _id: names, until: { $lt: before } });
}

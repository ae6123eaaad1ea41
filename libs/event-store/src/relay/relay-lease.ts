import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { hasEnded, ownIdentity } from '@tidings/coordination';
import type { Clock } from '@tidings/kernel';
import { collectionOf, type LeaseDocument, leasesModel } from '@tidings/mongo';
import { type Collection, type Db, MongoServerError } from 'mongodb';
import { answered } from '../mongo/answers.ts';

export const LEASE_MS = 10_000;
export const RENEW_MS = 2_000;
const DUPLICATE_KEY = 11000;
const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;

/**
 * The right to do something alone, in the collection `leases`: 10 s long, to be renewed every 2 s with {@link take}. A
 * holder whose process is known to have ended is followed at once. It only makes doubling rare: what it guards must bear two holders.
 */
export class Lease {
  readonly #leases: Collection<LeaseDocument>;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #owner = randomUUID();
  #heldUntil = -Infinity;
  #hasRival = false;

  constructor(db: Db, name: string, clock: Clock) {
    this.#leases = collectionOf(db, leasesModel);
    this.#name = name;
    this.#clock = clock;
  }

  /** By this process's own clock, counted from before the last renewal was sent. */
  get held(): boolean {
    return performance.now() < this.#heldUntil;
  }

  /** True when another process has asked for the lease within its length. */
  get hasRival(): boolean {
    return this.#hasRival;
  }

  /** Takes or renews the lease; false when another has it. Rejects when the store does not answer. */
  async take(): Promise<boolean> {
    const asked = performance.now();
    const taken = (await this.#renew()) || (await this.#acquire());
    this.#heldUntil = taken ? asked + LEASE_MS : -Infinity;
    return taken;
  }

  /** Lets the next one take it at once. */
  async release(): Promise<void> {
    this.#heldUntil = -Infinity;
    await answered(this.#leases.deleteOne({ _id: this.#name, owner: this.#owner }));
  }

  async #renew(): Promise<boolean> {
    const until = new Date(this.#clock.now() + LEASE_MS);
    const mine = { _id: this.#name, owner: this.#owner };
    const lease = await answered(this.#leases.findOneAndUpdate(mine, { $set: { until } }, DURABLE));
    this.#hasRival = this.#isRecent(lease?.rivalAt);
    return lease !== null;
  }

  async #acquire(): Promise<boolean> {
    const now = new Date(this.#clock.now());
    const holder = await answered(this.#leases.findOne({ _id: this.#name }));
    if (holder && holder.until > now && !hasEnded(holder.process)) {
      await answered(this.#leases.updateOne({ _id: this.#name, owner: holder.owner }, { $set: { rivalAt: now } }));
      return false;
    }
    const identity = ownIdentity();
    const mine: Omit<LeaseDocument, '_id'> = {
      owner: this.#owner,
      until: new Date(now.getTime() + LEASE_MS),
      ...(identity && { process: identity }),
    };
    if (!holder) return this.#insert({ _id: this.#name, ...mine });
    const same = { _id: this.#name, owner: holder.owner, until: holder.until };
    const followed = this.#leases.replaceOne(same, mine, DURABLE);
    return (await answered(followed)).matchedCount === 1;
  }

  async #insert(lease: LeaseDocument): Promise<boolean> {
    try {
      await answered(this.#leases.insertOne(lease, DURABLE));
      return true;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return false;
      throw error;
    }
  }

  #isRecent(time: Date | undefined): boolean {
    return time !== undefined && time.getTime() > this.#clock.now() - LEASE_MS;
  }
}

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Clock } from '@tidings/kernel';
import { type Collection, type Db, MongoServerError } from 'mongodb';
import { answered } from '../mongo/answers.ts';

export const LEASE_MS = 10_000;
export const RENEW_MS = 2_000;
const DUPLICATE_KEY = 11000;
const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;

interface LeaseDocument {
  readonly _id: string;
  /** An incarnation: a process that comes again is another owner. */
  readonly owner: string;
  readonly until: Date;
  readonly host: string;
  readonly pid: number;
  /** Tells processes apart that got the same pid one after the other. */
  readonly startedAt: number;
  /** When another process last asked for the lease. */
  readonly rivalAt?: Date;
}

/**
 * The right to do something alone, in the collection `leases`: 10 s long, to be renewed every 2 s with {@link take}. The holder of this
 * host whose process is gone is followed at once. It only makes doubling rare: what it guards must bear two holders.
 */
export class Lease {
  readonly #leases: Collection<LeaseDocument>;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #owner = randomUUID();
  #heldUntil = -Infinity;
  #hasRival = false;

  constructor(db: Db, name: string, clock: Clock) {
    this.#leases = db.collection('leases');
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
    if (holder && holder.until > now && !isGone(holder)) {
      await answered(this.#leases.updateOne({ _id: this.#name, owner: holder.owner }, { $set: { rivalAt: now } }));
      return false;
    }
    const mine = {
      owner: this.#owner,
      until: new Date(now.getTime() + LEASE_MS),
      host: hostname(),
      pid: process.pid,
      startedAt: performance.timeOrigin,
    };
    if (!holder) return this.#insert({ _id: this.#name, ...mine });
    const same = { _id: this.#name, owner: holder.owner, until: holder.until };
    return (await answered(this.#leases.updateOne(same, { $set: mine }, DURABLE))).matchedCount === 1;
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

function isGone({ host, pid, startedAt }: LeaseDocument): boolean {
  if (host !== hostname()) return false;
  return pid === process.pid ? startedAt !== performance.timeOrigin : !isAlive(pid);
}

/** One that has ended but was not collected by its parent does not live. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

import { randomUUID } from 'node:crypto';
import { every, stopwatch } from '@tidings/coordination';
import { Fault, REPLICAS, type ReplicaNumber } from '@tidings/kernel';
import type { Collection, Db } from 'mongodb';
import type { Logger } from 'pino';
import { followHolder, leasesOf } from './mongo-lease.ts';
import type { LeaseDocument } from './storage/leases.schema.ts';

const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 5_000;
/** Clocks of hosts agree to within a second: until a number that was given back may be taken, ids of its former holder lie in the past. */
const CLOCKS_AGREE_MS = 2_000;
const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;

/** A leased number of this process. */
export interface Replica extends ReplicaNumber {
  /** Gives the number back; it is free 2 s later. */
  close(): Promise<void>;
}

export interface ReplicaOptions {
  readonly log: Logger;
  /** Time after the last renewal for which the number stays reserved. @default 30 s, renewed every 5 s */
  readonly leaseMs?: number;
}

/** A number whose leases run on the server's clock, and are named `replica/<number>`. */
class LeasedNumber implements ReplicaNumber {
  readonly #db: Db;
  readonly #leases: Collection<LeaseDocument>;
  readonly #leaseMs: number;
  readonly #owner = randomUUID();
  #number: number | undefined;
  #agoMs: () => number = () => Infinity;

  constructor(db: Db, leaseMs: number) {
    this.#db = db;
    this.#leases = leasesOf(db);
    this.#leaseMs = leaseMs;
  }

  /** The last third of the lease is reserved for ids that were just issued, and for differing clocks. */
  held(): number | undefined {
    return this.#agoMs() < (this.#leaseMs * 2) / 3 ? this.#number : undefined;
  }

  /** Renews the lease, or takes another number if another process has it by now. */
  async renew(): Promise<void> {
    const { agoMs, until } = await this.#term(this.#leaseMs);
    if (this.#number !== undefined) {
      const mine = { _id: idOf(this.#number), owner: this.#owner };
      if ((await this.#leases.updateOne(mine, { $set: { until } }, DURABLE)).matchedCount === 1) {
        this.#agoMs = agoMs;
        return;
      }
    }
    this.#number = await this.#take(until);
    this.#agoMs = agoMs;
  }

  async release(): Promise<void> {
    if (this.#number === undefined) return;
    const mine = { _id: idOf(this.#number), owner: this.#owner };
    this.#number = undefined;
    const { until } = await this.#term(CLOCKS_AGREE_MS);
    await this.#leases.updateOne(mine, { $min: { until } }, DURABLE);
  }

  async #take(until: Date): Promise<number> {
    const { now } = await this.#term(0);
    const ids = Array.from({ length: REPLICAS }, (_, number) => idOf(number));
    const known = new Map(
      (await this.#leases.find({ _id: { $in: ids } }).toArray()).map((lease) => [lease._id, lease]),
    );
    for (const [number, _id] of ids.entries()) {
      const holder = known.get(_id);
      if (holder && holder.until > now) continue;
      if (await followHolder(this.#leases, holder, { _id, owner: this.#owner, until })) return number;
    }
    const first = Math.min(...[...known.values()].map((lease) => lease.until.getTime()));
    const seconds = Math.max(1, Math.ceil((first - now.getTime()) / 1000));
    throw Fault.conflict(
      `All ${REPLICAS} numbers for processes that make ids in the database ${this.#db.databaseName} are taken: run fewer processes of this service. The next number may be free in ${seconds} s`,
    );
  }

  /** A time from now by the server's clock, and the time since its beginning by the process's own clock. */
  async #term(ms: number): Promise<{ readonly agoMs: () => number; readonly now: Date; readonly until: Date }> {
    const agoMs = stopwatch();
    const { localTime: now } = (await this.#db.command({ isMaster: 1 })) as unknown as { readonly localTime: Date };
    return { agoMs, now, until: new Date(now.getTime() + ms) };
  }
}

const idOf = (number: number): string => `replica/${number}`;

/**
 * Leases a number from 0 to 31 for the ids of this process (`numberIds` of the kernel); no other live process of the database has it. A number is free
 * when its lease has ended. A process that could not renew its lease in time, because it was frozen or the store did not answer, has no number until it
 * can renew: then it gets the same or another one.
 * @throws Fault `conflict` with a sentence for operators if all numbers are taken
 */
export async function leaseReplica(db: Db, { log, leaseMs = LEASE_MS }: ReplicaOptions): Promise<Replica> {
  const replica = new LeasedNumber(db, leaseMs);
  await replica.renew();
  const everyMs = (RENEW_EVERY_MS * leaseMs) / LEASE_MS;
  const renewal = every(everyMs, () => replica.renew(), { name: 'lease of the number for ids', log });
  return {
    held: () => replica.held(),
    async close() {
      await renewal.stop();
      await replica.release();
    },
  };
}

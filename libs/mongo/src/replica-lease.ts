import { randomUUID } from 'node:crypto';
import { every, stopwatch } from '@tidings/coordination';
import { Fault, REPLICAS, type ReplicaNumber } from '@tidings/kernel';
import type { Collection, Db } from 'mongodb';
import type { Logger } from 'pino';
import { followHolder, leasesOf } from './mongo-lease.ts';
import type { LeaseDocument } from './storage/leases.schema.ts';

const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 5_000;
/** Clocks agree to within a second: a former holder's ids lie in the past. */
const CLOCKS_AGREE_MS = 2_000;
const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;

export interface Replica extends ReplicaNumber {
  close(): Promise<void>;
}

export interface ReplicaOptions {
  readonly log: Logger;
  /** @default 30 s, renewed every 5 s */
  readonly leaseMs?: number;
}

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

  /** The last third is reserved for ids just issued. */
  current(): number | undefined {
    return this.#agoMs() < (this.#leaseMs * 2) / 3 ? this.#number : undefined;
  }

  async renew(): Promise<void> {
    const { agoMs, until } = await this.#term(this.#leaseMs);
    if (this.#number !== undefined) {
      const own = { _id: idOf(this.#number), owner: this.#owner };
      if ((await this.#leases.updateOne(own, { $set: { until } }, DURABLE)).matchedCount === 1) {
        this.#agoMs = agoMs;
        return;
      }
    }
    this.#number = await this.#take(until);
    this.#agoMs = agoMs;
  }

  async release(): Promise<void> {
    if (this.#number === undefined) return;
    const own = { _id: idOf(this.#number), owner: this.#owner };
    this.#number = undefined;
    const { until } = await this.#term(CLOCKS_AGREE_MS);
    await this.#leases.updateOne(own, { $min: { until } }, DURABLE);
  }

  async #take(until: Date): Promise<number> {
    const { now } = await this.#term(0);
    const ids = Array.from({ length: REPLICAS }, (_, number) => idOf(number));
    const existing = new Map(
      (await this.#leases.find({ _id: { $in: ids } }).toArray()).map((lease) => [lease._id, lease]),
    );
    for (const [number, _id] of ids.entries()) {
      const holder = existing.get(_id);
      if (holder && holder.until > now) continue;
      if (await followHolder(this.#leases, holder, { _id, owner: this.#owner, until })) return number;
    }
    const first = Math.min(...[...existing.values()].map((lease) => lease.until.getTime()));
    const seconds = Math.max(1, Math.ceil((first - now.getTime()) / 1000));
    throw Fault.conflict(
      `All ${REPLICAS} numbers for processes that make ids in the database ${this.#db.databaseName} are taken: run fewer processes of this service. The next number may be free in ${seconds} s`,
    );
  }

  async #term(ms: number): Promise<{ readonly agoMs: () => number; readonly now: Date; readonly until: Date }> {
    const agoMs = stopwatch();
    const { localTime: now } = (await this.#db.command({ isMaster: 1 })) as unknown as { readonly localTime: Date };
    return { agoMs, now, until: new Date(now.getTime() + ms) };
  }
}

const idOf = (number: number): string => `replica/${number}`;

/** Numbers 0 to 31. @throws Fault `conflict` if all are taken */
export async function leaseReplica(db: Db, { log, leaseMs = LEASE_MS }: ReplicaOptions): Promise<Replica> {
  const replica = new LeasedNumber(db, leaseMs);
  await replica.renew();
  const everyMs = (RENEW_EVERY_MS * leaseMs) / LEASE_MS;
  const renewal = every(everyMs, () => replica.renew(), { name: 'lease of the number for ids', log });
  return {
    current: () => replica.current(),
    async close() {
      await renewal.stop();
      await replica.release();
    },
  };
}

import { hostname } from 'node:os';
import { registerOwner, unregisterOwner, hasOwnerEnded, ownIdentity, stopwatch } from '@tidings/coordination';
import { Fault } from '@tidings/kernel';
import { isDuplicateKey } from '@tidings/mongo';
import type { Collection, Db } from 'mongodb';
import { type Holder, leaseModel } from './storage/log.schema.ts';

const RENEW_EVERY_MS = 2_500;
const LEASE_MS = 10_000;
const POLL_INTERVAL_MS = 250;
const DURABLE = { writeConcern: { w: 'majority', j: true } as const };

/** Expires `ttlMs` after `renewed`, or unchanged for `ttlMs`: the server's clock may be set back. */
type LeaseIdentity = Omit<Holder, '_id' | 'renewed'>;

interface ObservedHolder extends Pick<Holder, 'epoch' | 'renewed'> {
  readonly at: number;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export class Lease {
  readonly #leases: Collection<Holder>;
  readonly #me: LeaseIdentity;
  readonly #timer: NodeJS.Timeout;
  readonly #onLost: (fault: Fault) => void;
  #confirmedMsAgo: () => number;
  #lost: Fault | undefined;
  #renewing: Promise<void> | undefined;

  private constructor(
    leases: Collection<Holder>,
    me: LeaseIdentity,
    confirmedMsAgo: () => number,
    onLost: (fault: Fault) => void,
  ) {
    this.#leases = leases;
    this.#me = me;
    this.#confirmedMsAgo = confirmedMsAgo;
    this.#onLost = onLost;
    registerOwner(me.epoch);
    this.#timer = setInterval(() => void this.renew(), RENEW_EVERY_MS).unref();
  }

  static async take(db: Db, epoch: string, onLost: (fault: Fault) => void): Promise<Lease> {
    const leases = db.collection<Holder>(leaseModel.name);
    const own = ownIdentity();
    const me: LeaseIdentity = {
      host: hostname(),
      pid: process.pid,
      epoch,
      ttlMs: LEASE_MS,
      ...(own && { process: own }),
    };
    let observed: ObservedHolder | undefined;
    for (;;) {
      const sinceRequest = stopwatch();
      const holder = await leases.findOne({ _id: 'holder' });
      if (!holder) {
        await offer(leases, me);
        continue;
      }
      const isEnded = hasOwnerEnded({ id: holder.epoch, process: holder.process });
      const isUnrenewed =
        observed !== undefined && performance.now() - observed.at > holder.ttlMs && isSame(observed, holder);
      if (isEnded || isUnrenewed || (await isOver(db, holder))) {
        if (await replace(leases, holder, me)) return new Lease(leases, me, sinceRequest, onLost);
        continue;
      }
      if (observed && !isSame(observed, holder)) throw refusal(holder);
      observed ??= { epoch: holder.epoch, renewed: holder.renewed, at: performance.now() };
      await pause(POLL_INTERVAL_MS);
    }
  }

  get isHeld(): boolean {
    return !this.#lost && this.#confirmedMsAgo() < LEASE_MS;
  }

  async confirmed(): Promise<boolean> {
    if (!this.isHeld) await this.renew();
    return this.isHeld;
  }

  async renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    await this.#renewing;
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    unregisterOwner(this.#me.epoch);
    // A successor takes over at once anyway.
    await this.#leases.deleteOne({ _id: 'holder', epoch: this.#me.epoch }, DURABLE).catch(() => undefined);
  }

  async #renew(): Promise<void> {
    if (this.#lost) return;
    const sinceRequest = stopwatch();
    try {
      const ownHolder = { _id: 'holder', epoch: this.#me.epoch } as const;
      const { matchedCount } = await this.#leases.updateOne(ownHolder, { $currentDate: { renewed: true } }, DURABLE);
      if (matchedCount === 1) this.#confirmedMsAgo = sinceRequest;
      else this.#markLost();
    } catch {
      // The server does not answer: the lease expires.
    }
  }

  #markLost(): void {
    clearInterval(this.#timer);
    unregisterOwner(this.#me.epoch);
    this.#lost = Fault.unavailable('Another process has taken over the log of this data folder');
    this.#onLost(this.#lost);
  }
}

/** A renewal by a clock that was set back has an earlier time. */
const isSame = (observed: ObservedHolder, { epoch, renewed }: Holder): boolean =>
  observed.epoch === epoch && observed.renewed.getTime() === renewed.getTime();

const refusal = ({ host, pid }: Holder): Fault =>
  Fault.conflict(`The data folder is in use by process ${pid} on ${host}; only one process at a time can run on it`);

/** Creates it expired: only updates can use the server's clock. */
async function offer(leases: Collection<Holder>, me: LeaseIdentity): Promise<void> {
  try {
    await leases.insertOne({ _id: 'holder', ...me, renewed: new Date(0) }, DURABLE);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

async function replace(leases: Collection<Holder>, { epoch, renewed }: Holder, me: LeaseIdentity): Promise<boolean> {
  const { matchedCount } = await leases.updateOne(
    { _id: 'holder', epoch, renewed },
    { $set: me, ...(me.process ? {} : { $unset: { process: '' } }), $currentDate: { renewed: true } },
    DURABLE,
  );
  return matchedCount === 1;
}

async function isOver(db: Db, { renewed, ttlMs }: Holder): Promise<boolean> {
  const stored = await db
    .collection<{ _id: 'clock'; now: Date }>(leaseModel.name)
    .findOneAndUpdate({ _id: 'clock' }, { $currentDate: { now: true } }, { upsert: true, returnDocument: 'after' });
  return stored !== null && stored.now.getTime() - renewed.getTime() > ttlMs;
}

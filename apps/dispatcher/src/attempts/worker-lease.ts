import { randomUUID } from 'node:crypto';
import { sharedReads, sharedWrites } from '@tidings/coordination';
import { WORKER_LEASE_MS, WORKER_MARGIN_MS, WORKER_RENEW_MS } from '@tidings/delivery';
import { Fault } from '@tidings/kernel';
import { type PresenceDocument, presenceIn, updateAll } from '@tidings/mongo';
import type { Collection, Db } from 'mongodb';
import { type Timers, msToNextMultiple, SAME_TICK_MS } from '../timers.ts';
import { storeAsFault } from '../unavailable.ts';

export const FORGET_LEASES_MS = 24 * 3_600_000;

export interface LeaseStore {
  renew(id: string, until: number): Promise<void>;
  alive(ids?: readonly string[]): Promise<ReadonlySet<string>>;
  end(ids: readonly string[]): Promise<void>;
}

export interface Epoch {
  readonly id: string;
  /** The lease counts as of before the last renewal was sent. */
  alive(): boolean;
  open: number;
}

class LeasedEpoch implements Epoch {
  readonly id: string;
  readonly #timers: Timers;
  open = 0;
  until = 0;
  retired = false;

  constructor(id: string, timers: Timers) {
    this.id = id;
    this.#timers = timers;
  }

  alive(): boolean {
    return this.#timers.now() < this.until - WORKER_MARGIN_MS;
  }
}

export interface WorkerLeaseOptions {
  readonly name: string;
  readonly store: LeaseStore;
  readonly timers: Timers;
  readonly onError: (error: unknown) => void;
}

/** An expired worker needs a new epoch: the old one would keep its slices alive. */
export class WorkerLease {
  readonly #options: WorkerLeaseOptions;
  #current: LeasedEpoch | undefined;
  readonly #retired = new Set<LeasedEpoch>();
  readonly #ownIds = new Set<string>();
  #cancel: () => void = () => undefined;
  #renewal: Promise<void> = Promise.resolve();
  #watching: Promise<unknown> | undefined;
  #ticks = 0;
  #stopped = false;
  #waiting: (() => void)[] = [];

  constructor(options: WorkerLeaseOptions) {
    this.#options = options;
  }

  start(): void {
    this.#tick();
  }

  current(): Epoch | undefined {
    return this.#current?.alive() ? this.#current : undefined;
  }

  /** @throws Fault `unavailable` after `timeoutMs` */
  async ready(timeoutMs: number): Promise<Epoch> {
    const { timers } = this.#options;
    const giveUpAt = timers.now() + timeoutMs;
    for (;;) {
      const epoch = this.current();
      if (epoch) return epoch;
      if (this.#stopped || timers.now() >= giveUpAt) throw Fault.unavailable('the worker has no lease');
      await new Promise<void>((resolve) => {
        const cancel = timers.after(giveUpAt - timers.now(), resolve);
        this.#waiting.push(() => {
          cancel();
          resolve();
        });
      });
    }
  }

  retire(epoch: Epoch): void {
    if (!this.#current || this.#current !== epoch) return;
    this.#current.retired = true;
    this.#retired.add(this.#current);
    this.#current = undefined;
    this.#cancel();
    this.#tick();
  }

  isOwn(id: string): boolean {
    return this.#ownIds.has(id);
  }

  alive(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return ids.length === 0 ? Promise.resolve(new Set()) : this.#options.store.alive(ids);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#renewal;
    await this.#watching;
    this.#runWaiting();
    const epochs = [this.#current, ...this.#retired].filter((epoch) => epoch !== undefined && epoch.open === 0);
    this.#current = undefined;
    await this.#options.store.end(epochs.map((epoch) => epoch!.id)).catch(this.#options.onError);
  }

  #tick(): void {
    if (this.#stopped) return;
    const tick = ++this.#ticks;
    this.#watch();
    this.#renewal = this.#renew().finally(() => {
      if (!this.#stopped && tick === this.#ticks)
        this.#cancel = this.#options.timers.after(msToNextMultiple(WORKER_RENEW_MS, this.#options.timers), () =>
          this.#tick(),
        );
    });
  }

  /** Watches all leases: one first seen on suspicion would seem alive for longer. */
  #watch(): void {
    const { store, onError } = this.#options;
    this.#watching ??= store
      .alive()
      .catch(onError)
      .finally(() => (this.#watching = undefined));
  }

  async #renew(): Promise<void> {
    const { store, timers, onError } = this.#options;
    const epoch = this.#current?.alive() ? this.#current : this.#begin();
    const epochs = [epoch];
    for (const retired of this.#retired) {
      if (retired.open > 0 && retired.alive()) epochs.push(retired);
      else this.#retired.delete(retired);
    }
    const sentAt = timers.now();
    try {
      await Promise.all(epochs.map(({ id }) => store.renew(id, timers.wall() + WORKER_LEASE_MS)));
      for (const each of epochs) each.until = Math.max(each.until, sentAt + WORKER_LEASE_MS);
      // A renewal may be answered after its epoch was retired and removed.
      if (!epoch.retired) this.#current = epoch;
      this.#runWaiting();
    } catch (error) {
      onError(error);
    }
  }

  #begin(): LeasedEpoch {
    const epoch = new LeasedEpoch(`${this.#options.name}/${randomUUID()}`, this.#options.timers);
    this.#ownIds.add(epoch.id);
    if (this.#ownIds.size > 1000) this.#ownIds.delete(this.#ownIds.values().next().value!);
    return epoch;
  }

  #runWaiting(): void {
    for (const run of this.#waiting.splice(0)) run();
  }
}

const ALL = '';

export function mongoLeases(db: Db, collection: Collection<PresenceDocument>): LeaseStore {
  const presence = presenceIn(collection, { lengthMs: WORKER_LEASE_MS });
  const watch = sharedReads(async () => new Map([[ALL, await presence.alive()]]), { gatherMs: SAME_TICK_MS });
  const renewAll = sharedWrites(
    (renewals: readonly { readonly id: string; readonly until: Date }[]) =>
      updateAll<PresenceDocument>(
        db,
        collection.collectionName,
        renewals.map(({ id, until }) => ({ q: { _id: id }, u: { $set: { until } }, upsert: true })),
      ),
    { gatherMs: SAME_TICK_MS },
  );
  return {
    renew: (id, until) => renewAll([{ id, until: new Date(until) }]),
    alive: async (ids) => storeAsFault(ids ? presence.alive(ids) : watch([ALL]).then((found) => found.get(ALL)!)),
    end: (ids) => presence.end(ids),
  };
}

export const forgetLeases = (collection: Collection<PresenceDocument>): Promise<void> =>
  presenceIn(collection, { lengthMs: WORKER_LEASE_MS }).forget(FORGET_LEASES_MS);

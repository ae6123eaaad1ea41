import { sharedReads } from '@tidings/coordination';
import { RETRY_AFTER_MAX_MS } from '@tidings/delivery';
import { type Clock, CLOCKS_AGREE_MS, isDue, steadyTime, trustedTime } from '@tidings/kernel';
import { dueFilter } from '@tidings/mongo';
import type { Model } from 'mongoose';
import { storeAsFault } from '../unavailable.ts';

export interface Throttler {
  readonly reference: string;
  readonly version: number;
}

export interface Throttle {
  readonly credential: string;
  /** Milliseconds of the business clock. */
  readonly until: number;
  readonly cause: string;
  readonly versions: ReadonlyMap<string, number>;
}

export interface ThrottleStore {
  /** Never shortens a throttle. @param outdated ends up to this one were stored before the clock was set back */
  close(credential: string, until: number, cause: string, by: Throttler, outdated?: number): Promise<void>;
  all(): Promise<readonly Throttle[]>;
  /** One caller gets the probe, unless the throttle lasts longer than `ended`. */
  probe(credential: string, ended: number, now: number, forMs: number): Promise<boolean>;
  lift(credential: string): Promise<boolean>;
}

interface CachedThrottle extends Throttle {
  readonly endsAt: number;
}

export type Passage = 'open' | 'probe' | { readonly until: number };

type LiftListener = (credential: string, references: readonly string[]) => void;

export interface ThrottlesOptions {
  readonly store: ThrottleStore;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const PROBE_MS = 40_000;
const PROBE_DELAY_MS = 10_000;
/** Its credential was replaced: every slice would have asked for the probe long before. */
const RETENTION_MS = 24 * 3_600_000;

/** This process obeys at once, others within a second. One probe ends a throttle (R-P1). */
export class Throttles {
  readonly #options: ThrottlesOptions;
  readonly #cached = new Map<string, CachedThrottle>();
  /** Writes are in order: an end from before a step of the clock must not follow a later one. */
  readonly #writes = new Map<string, Promise<void>>();
  readonly #listeners: LiftListener[] = [];

  constructor(options: ThrottlesOptions) {
    this.#options = options;
  }

  onLifted(listener: LiftListener): void {
    this.#listeners.push(listener);
  }

  blockedUntil(credential: string): number {
    const throttle = this.#cached.get(credential);
    return throttle ? Math.max(this.#untilOf(throttle), this.#options.clock.now() + PROBE_DELAY_MS) : 0;
  }

  #remainingMs({ endsAt }: CachedThrottle): number {
    return endsAt - steadyTime(this.#options.clock);
  }

  #untilOf(throttle: CachedThrottle): number {
    const until = this.#options.clock.now() + this.#remainingMs(throttle);
    return Math.abs(until - throttle.until) < CLOCKS_AGREE_MS ? throttle.until : Math.ceil(until);
  }

  #cache(throttle: Throttle): void {
    const { clock } = this.#options;
    const { credential, until } = throttle;
    const cached = this.#cached.get(credential);
    const remainingMs = isDue(until, clock.now(), RETRY_AFTER_MAX_MS) ? 0 : until - clock.now();
    const endsAt = cached?.until === until ? cached.endsAt : steadyTime(clock) + remainingMs;
    this.#cached.set(credential, { ...throttle, endsAt });
  }

  needsProbe(credential: string): boolean {
    const throttle = this.#cached.get(credential);
    return throttle !== undefined && this.#remainingMs(throttle) <= 0;
  }

  ended(): readonly { readonly reference: string; readonly until: number }[] {
    return [...this.#cached.values()]
      .filter((throttle) => this.#remainingMs(throttle) <= 0)
      .flatMap(({ until, versions }) => [...versions.keys()].map((reference) => ({ reference, until })));
  }

  nextEnd(): number {
    const open = [...this.#cached.values()].filter((throttle) => this.#remainingMs(throttle) > 0);
    return Math.min(...open.map((throttle) => this.#untilOf(throttle)));
  }

  isOutdated(credential: string, { reference, version }: Throttler): boolean {
    const throttled = this.#cached.get(credential)?.versions.get(reference);
    return throttled !== undefined && throttled < version;
  }

  liftOutdated(settings: Throttler): void {
    for (const { credential } of this.throttled()) if (this.isOutdated(credential, settings)) this.lift(credential);
  }

  throttled(): readonly Throttle[] {
    return [...this.#cached.values()];
  }

  async pass(credential: string, by: Throttler): Promise<Passage> {
    const throttle = this.#cached.get(credential);
    if (!throttle) return 'open';
    if (this.isOutdated(credential, by)) {
      this.lift(credential);
      return 'open';
    }
    if (!this.needsProbe(credential)) return { until: this.#untilOf(throttle) };
    const { store, clock } = this.#options;
    const now = clock.now();
    return (await store.probe(credential, throttle.until, now, PROBE_MS)) ? 'probe' : { until: now + PROBE_DELAY_MS };
  }

  close(credential: string, until: number, cause: string, by: Throttler): void {
    const cached = this.#cached.get(credential);
    const longest = cached && this.#remainingMs(cached) > 0 ? this.#untilOf(cached) : 0;
    if (until <= longest && cached?.versions.get(by.reference) === by.version) return;
    const versions = new Map(cached?.versions).set(by.reference, by.version);
    const end = Math.max(until, longest);
    this.#cache({ credential, until: end, cause, versions });
    this.#store(credential, until, cause, by, cached && cached.until > end ? cached.until : undefined);
  }

  returnProbe(credential: string, by: Throttler): void {
    const cached = this.#cached.get(credential);
    if (cached) this.#store(credential, cached.until, cached.cause, by);
  }

  #store(credential: string, until: number, cause: string, by: Throttler, outdated?: number): void {
    this.#write(credential, () => this.#options.store.close(credential, until, cause, by, outdated));
  }

  #write(credential: string, write: () => Promise<unknown>): void {
    const done = (this.#writes.get(credential)?.then(write) ?? write()).catch(this.#options.onError).then(() => {
      if (this.#writes.get(credential) === done) this.#writes.delete(credential);
    });
    this.#writes.set(credential, done);
  }

  lift(credential: string): void {
    if (this.#forget(credential)) this.#write(credential, () => this.#options.store.lift(credential));
  }

  async liftStored(credential: string): Promise<boolean> {
    const lifted = await this.#options.store.lift(credential);
    this.#forget(credential);
    return lifted;
  }

  #forget(credential: string): boolean {
    const throttle = this.#cached.get(credential);
    if (!throttle) return false;
    this.#cached.delete(credential);
    for (const listener of this.#listeners) listener(credential, [...throttle.versions.keys()]);
    return true;
  }

  async refresh(): Promise<void> {
    // A throttle that is being written may be stale in the reply.
    const writing = new Set(this.#writes.keys());
    const before = new Map(this.#cached);
    const isSettled = (credential: string): boolean =>
      !writing.has(credential) && this.#cached.get(credential) === before.get(credential);
    const stored = await this.#options.store.all();
    const now = new Set(stored.map(({ credential }) => credential));
    for (const throttle of stored) if (isSettled(throttle.credential)) this.#cache(throttle);
    for (const credential of before.keys()) {
      if (!writing.has(credential) && !now.has(credential)) this.#forget(credential);
    }
    const forgotten = trustedTime(this.#options.clock) - RETENTION_MS;
    for (const { credential, until } of this.throttled()) if (until <= forgotten) this.lift(credential);
  }
}

export interface ThrottleDocument {
  readonly _id: string;
  readonly channel: string;
  readonly blockedUntil: Date;
  readonly probedUntil?: Date;
  readonly cause: string;
  readonly versions: Readonly<Record<string, number>>;
}

export type ReadThrottles = (channels: readonly string[]) => Promise<ReadonlyMap<string, readonly ThrottleDocument[]>>;

export const throttlesIn = (model: Model<ThrottleDocument>): ReadThrottles =>
  sharedReads(async (channels) => {
    const found = await model.find({ channel: { $in: [...channels] } }).lean<ThrottleDocument[]>();
    return Map.groupBy(found, ({ channel }) => channel);
  });

export const mongoThrottles = (
  model: Model<ThrottleDocument>,
  channel: string,
  read: ReadThrottles,
): ThrottleStore => ({
  async close(credential, until, cause, { reference, version }, outdated) {
    const impossible = { $gt: new Date(until + RETRY_AFTER_MAX_MS + CLOCKS_AGREE_MS) };
    for (const blockedUntil of outdated === undefined ? [impossible] : [impossible, { $lte: new Date(outdated) }])
      await model.updateOne({ _id: credential, blockedUntil }, { $set: { blockedUntil: new Date(until) } });
    const update = {
      $max: { blockedUntil: new Date(until) },
      $set: { channel, cause, [`versions.${reference}`]: version },
      $unset: { probedUntil: '' as const },
    };
    await model.updateOne({ _id: credential }, update, { upsert: true });
  },
  async all() {
    const found = (await read([channel])).get(channel) ?? [];
    return found.map(({ _id, blockedUntil, cause, versions }) => ({
      credential: _id,
      until: blockedUntil.getTime(),
      cause,
      versions: new Map(Object.entries(versions)),
    }));
  },
  async probe(credential, ended, now, forMs) {
    const free = [{ probedUntil: { $exists: false } }, dueFilter('probedUntil', now, forMs)];
    const { matchedCount } = await storeAsFault(
      model
        .updateOne(
          { _id: credential, blockedUntil: { $lte: new Date(ended) }, $or: free },
          { $set: { probedUntil: new Date(now + forMs) } },
        )
        .exec(),
    );
    return matchedCount === 1;
  },
  async lift(credential) {
    const { deletedCount } = await model.deleteOne({ _id: credential, channel });
    return deletedCount === 1;
  },
});

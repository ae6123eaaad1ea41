import { sharedReads } from '@tidings/coordination';
import { RETRY_AFTER_MAX_MS } from '@tidings/delivery';
import { type Clock, CLOCKS_AGREE_MS, isDue, steadyTime, sureTime } from '@tidings/kernel';
import { dueFilter } from '@tidings/mongo';
import type { Model } from 'mongoose';
import { reached } from '../unavailable.ts';

/** The settings whose answer caused a throttle: one version of an application's platform. */
export interface Throttler {
  /** `<application>/<platform>`. */
  readonly reference: string;
  readonly version: number;
}

export interface Throttle {
  /** Fingerprint of the credential, which applications with the same one share. */
  readonly credential: string;
  /** End of the throttle, in milliseconds of the business clock. Afterwards one probe may be sent. */
  readonly until: number;
  /** Code and reason of the provider. */
  readonly cause: string;
  /** Versions of the settings at the time of throttling; a later version lifts it. */
  readonly versions: ReadonlyMap<string, number>;
}

/** The throttles that replicas share. */
export interface ThrottleStore {
  /**
   * Throttles a credential until then, or longer if it is throttled longer; a probe in progress no longer counts.
   * @param outdated a stored end up to this one was stored before the clock was set back, and does not count @default none
   */
  close(credential: string, until: number, cause: string, by: Throttler, outdated?: number): Promise<void>;
  all(): Promise<readonly Throttle[]>;
  /** Assigns the one probe to one caller for `forMs`, unless the throttle lasts longer than `ended`. Resolves to whether it is this one. */
  probe(credential: string, ended: number, now: number, forMs: number): Promise<boolean>;
  /** Resolves to whether there was a throttle to lift. */
  lift(credential: string): Promise<boolean>;
}

interface Known extends Throttle {
  /** Its end by the steady time of this process, which a clock that is set does not move. */
  readonly endsAt: number;
}

/** Whether a slice may be sent: freely, as the probe, or only later. */
export type Passage = 'open' | 'probe' | { readonly until: number };

/** Receives the fingerprint, and the throttled settings: `<application>/<platform>` each. */
type LiftListener = (credential: string, references: readonly string[]) => void;

export interface ThrottlesOptions {
  readonly store: ThrottleStore;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Time after which the probe of a dead worker is assigned again: the maximum wait for an answer. */
const PROBE_MS = 40_000;
/** Time after which another slice than the probe asks again, unless the throttle is lifted before. */
const AGAIN_MS = 10_000;
/**
 * Time after its end at which a throttle is lifted without a probe. Its credential was replaced: every slice that it held back has asked for the
 * probe long before.
 */
const FORGET_MS = 24 * 3_600_000;

/**
 * Throttled credentials (R-P1, sending 4). This process obeys at once, others after their next refresh, at most a second later. A throttle ends with
 * one probe: after its expiry one push is sent, and all others when that has been answered.
 */
export class Throttles {
  readonly #options: ThrottlesOptions;
  readonly #known = new Map<string, Known>();
  /** Writes in progress, by credential: in order, so that an end from before a step of the clock does not follow one from after it. */
  readonly #writes = new Map<string, Promise<void>>();
  readonly #listeners: LiftListener[] = [];

  constructor(options: ThrottlesOptions) {
    this.#options = options;
  }

  /** Calls with each credential that is no longer throttled. */
  onLifted(listener: LiftListener): void {
    this.#listeners.push(listener);
  }

  /** The time until which nothing may be sent without a probe, in milliseconds of the business clock; 0 = not throttled. */
  blockedUntil(credential: string): number {
    const throttle = this.#known.get(credential);
    return throttle ? Math.max(this.#untilOf(throttle), this.#options.clock.now() + AGAIN_MS) : 0;
  }

  /** Milliseconds until the throttle ends; 0 or less = it has ended. */
  #leftOf({ endsAt }: Known): number {
    return endsAt - steadyTime(this.#options.clock);
  }

  #untilOf(throttle: Known): number {
    const until = this.#options.clock.now() + this.#leftOf(throttle);
    return Math.abs(until - throttle.until) < CLOCKS_AGREE_MS ? throttle.until : Math.ceil(until);
  }

  /** Its end is counted from now, unless it was known before. */
  #learn(throttle: Throttle): void {
    const { clock } = this.#options;
    const { credential, until } = throttle;
    const known = this.#known.get(credential);
    const leftMs = isDue(until, clock.now(), RETRY_AFTER_MAX_MS) ? 0 : until - clock.now();
    const endsAt = known?.until === until ? known.endsAt : steadyTime(clock) + leftMs;
    this.#known.set(credential, { ...throttle, endsAt });
  }

  /** Whether the throttle has expired and awaits a probe. */
  wantsProbe(credential: string): boolean {
    const throttle = this.#known.get(credential);
    return throttle !== undefined && this.#leftOf(throttle) <= 0;
  }

  /** Expired throttles that await a probe, by the references of their credentials. */
  ended(): readonly { readonly reference: string; readonly until: number }[] {
    return [...this.#known.values()]
      .filter((throttle) => this.#leftOf(throttle) <= 0)
      .flatMap(({ until, versions }) => [...versions.keys()].map((reference) => ({ reference, until })));
  }

  /** When the next throttle expires, in milliseconds of the business clock; Infinity = none does. */
  nextEnd(): number {
    const open = [...this.#known.values()].filter((throttle) => this.#leftOf(throttle) > 0);
    return Math.min(...open.map((throttle) => this.#untilOf(throttle)));
  }

  /** Whether older settings than these were throttled: configuring a credential again lifts its throttle. */
  isOutdated(credential: string, { reference, version }: Throttler): boolean {
    const throttled = this.#known.get(credential)?.versions.get(reference);
    return throttled !== undefined && throttled < version;
  }

  /** Lifts the throttles of older settings than this version of a platform (`<application>/<platform>`). */
  liftOutdated(settings: Throttler): void {
    for (const { credential } of this.throttled()) if (this.isOutdated(credential, settings)) this.lift(credential);
  }

  /** Every throttled credential known here. */
  throttled(): readonly Throttle[] {
    return [...this.#known.values()];
  }

  /** Whether sending is permitted now with these settings. Settings newer than the throttled ones lift the throttle. */
  async pass(credential: string, by: Throttler): Promise<Passage> {
    const throttle = this.#known.get(credential);
    if (!throttle) return 'open';
    if (this.isOutdated(credential, by)) {
      this.lift(credential);
      return 'open';
    }
    if (!this.wantsProbe(credential)) return { until: this.#untilOf(throttle) };
    const { store, clock } = this.#options;
    const now = clock.now();
    return (await store.probe(credential, throttle.until, now, PROBE_MS)) ? 'probe' : { until: now + AGAIN_MS };
  }

  close(credential: string, until: number, cause: string, by: Throttler): void {
    const known = this.#known.get(credential);
    const longest = known && this.#leftOf(known) > 0 ? this.#untilOf(known) : 0;
    if (until <= longest && known?.versions.get(by.reference) === by.version) return;
    const versions = new Map(known?.versions).set(by.reference, by.version);
    const end = Math.max(until, longest);
    this.#learn({ credential, until: end, cause, versions });
    this.#store(credential, until, cause, by, known && known.until > end ? known.until : undefined);
  }

  /** Returns a probe that was not sent, or not answered: another slice may try. */
  returnProbe(credential: string, by: Throttler): void {
    const known = this.#known.get(credential);
    if (known) this.#store(credential, known.until, known.cause, by);
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

  /** Lifts a throttle: the provider accepts pushes again, the credential was configured again, or the operator lifts it. */
  lift(credential: string): void {
    if (this.#forget(credential)) this.#write(credential, () => this.#options.store.lift(credential));
  }

  /** Lifts a throttle of any replica; resolves, once that is durable, to whether there was one. */
  async liftStored(credential: string): Promise<boolean> {
    const lifted = await this.#options.store.lift(credential);
    this.#forget(credential);
    return lifted;
  }

  #forget(credential: string): boolean {
    const throttle = this.#known.get(credential);
    if (!throttle) return false;
    this.#known.delete(credential);
    for (const listener of this.#listeners) listener(credential, [...throttle.versions.keys()]);
    return true;
  }

  /** Reads throttles and lifts of other replicas, and lifts throttles that get no probe any more. */
  async refresh(): Promise<void> {
    // A throttle that is being stored may be missing in the reply, or have its former end there; one that is being lifted may still be there.
    const writing = new Set(this.#writes.keys());
    const before = new Map(this.#known);
    const isSettled = (credential: string): boolean =>
      !writing.has(credential) && this.#known.get(credential) === before.get(credential);
    const stored = await this.#options.store.all();
    const now = new Set(stored.map(({ credential }) => credential));
    for (const throttle of stored) if (isSettled(throttle.credential)) this.#learn(throttle);
    for (const credential of before.keys()) {
      if (!writing.has(credential) && !now.has(credential)) this.#forget(credential);
    }
    const forgotten = sureTime(this.#options.clock) - FORGET_MS;
    for (const { credential, until } of this.throttled()) if (until <= forgotten) this.lift(credential);
  }
}

export interface ThrottleDocument {
  readonly _id: string;
  readonly channel: string;
  readonly blockedUntil: Date;
  readonly probedUntil?: Date;
  readonly cause: string;
  /** Versions of the throttled settings, by `<application>/<platform>`. */
  readonly versions: Readonly<Record<string, number>>;
}

/** Reads the throttles of channels: those that ask in the same turn of the event loop share a query. */
export type ReadThrottles = (channels: readonly string[]) => Promise<ReadonlyMap<string, readonly ThrottleDocument[]>>;

export const throttlesIn = (model: Model<ThrottleDocument>): ReadThrottles =>
  sharedReads(async (channels) => {
    const found = await model.find({ channel: { $in: [...channels] } }).lean<ThrottleDocument[]>();
    return Map.groupBy(found, ({ channel }) => channel);
  });

export const mongoThrottles = (
  model: Model<ThrottleDocument>,
  channel: string,
  read: ReadThrottles = throttlesIn(model),
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
    const { matchedCount } = await reached(
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

import type { Clock } from '@tidings/kernel';
import type { Model } from 'mongoose';

/** Whose answer throttled a credential: one version of the settings of an application's platform. */
export interface Throttler {
  /** `<application>/<platform>`. */
  readonly reference: string;
  readonly version: number;
}

export interface Throttle {
  /** Names the credential by its fingerprint: applications that have the same one share it. */
  readonly credential: string;
  /** Until when nothing may be sent, in milliseconds of the business clock. After that one probe may. */
  readonly until: number;
  /** What the provider said: code and reason. */
  readonly cause: string;
  /** Which settings had it when it was throttled; one of a later version lifts it. */
  readonly versions: ReadonlyMap<string, number>;
}

/** Where replicas share which credentials are throttled. */
export interface ThrottleStore {
  /** Throttles a credential until then, or longer if it is throttled longer; a probe that is under way counts no more. */
  close(credential: string, until: number, cause: string, by: Throttler): Promise<void>;
  all(): Promise<readonly Throttle[]>;
  /** Gives the one probe to one caller, whose it is until `until`. Resolves to whether it is this one. */
  probe(credential: string, now: number, until: number): Promise<boolean>;
  /** Resolves to whether there was anything to lift. */
  lift(credential: string): Promise<boolean>;
}

/** Whether a slice may be sent: freely, as the probe, or not until later. */
export type Passage = 'open' | 'probe' | { readonly until: number };

/** Hears the fingerprint, and the settings that were throttled: `<application>/<platform>` each. */
type LiftListener = (credential: string, references: readonly string[]) => void;

export interface ThrottlesOptions {
  readonly store: ThrottleStore;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** A probe whose worker has died is given to another one after so long: an answer is waited for as long. */
const PROBE_MS = 40_000;
/** A slice that is not the probe asks again after so long, unless the throttle is lifted before. */
const AGAIN_MS = 10_000;

/**
 * Credentials that a provider told to wait (R-P1, sending 4). This process obeys at once, others when they next look, at most a second
 * later. A throttle ends with one probe: when its time is over one push goes out, and all others when that has been answered.
 */
export class Throttles {
  readonly #options: ThrottlesOptions;
  readonly #known = new Map<string, Throttle>();
  /** Credentials whose throttle is on its way to the store, and how often. */
  readonly #closing = new Map<string, number>();
  readonly #listeners: LiftListener[] = [];

  constructor(options: ThrottlesOptions) {
    this.#options = options;
  }

  /** Calls with each credential that is throttled no more. */
  onLifted(listener: LiftListener): void {
    this.#listeners.push(listener);
  }

  /** Until when nothing may be sent without a probe, in milliseconds of the business clock; 0 = it is not throttled. */
  blockedUntil(credential: string): number {
    const throttle = this.#known.get(credential);
    return throttle ? Math.max(throttle.until, this.#options.clock.now() + AGAIN_MS) : 0;
  }

  /** Whether its time is over, and only a probe is missing. */
  wantsProbe(credential: string): boolean {
    const throttle = this.#known.get(credential);
    return throttle !== undefined && throttle.until <= this.#options.clock.now();
  }

  /** Throttles whose time is over, by the references of their credentials: only a probe is missing. */
  ended(): readonly { readonly reference: string; readonly until: number }[] {
    const now = this.#options.clock.now();
    return [...this.#known.values()]
      .filter(({ until }) => until <= now)
      .flatMap(({ until, versions }) => [...versions.keys()].map((reference) => ({ reference, until })));
  }

  /** Whether older settings than these were throttled: configuring a credential anew lifts its throttle. */
  isOutdated(credential: string, { reference, version }: Throttler): boolean {
    const throttled = this.#known.get(credential)?.versions.get(reference);
    return throttled !== undefined && throttled < version;
  }

  /** Every credential that is throttled, as far as it is known here. */
  throttled(): readonly Throttle[] {
    return [...this.#known.values()];
  }

  /** Whether one may send now with these settings. Settings newer than those that were throttled lift it. */
  async pass(credential: string, by: Throttler): Promise<Passage> {
    const throttle = this.#known.get(credential);
    if (!throttle) return 'open';
    if (this.isOutdated(credential, by)) {
      this.lift(credential);
      return 'open';
    }
    if (!this.wantsProbe(credential)) return { until: throttle.until };
    const { store, clock } = this.#options;
    const now = clock.now();
    return (await store.probe(credential, now, now + PROBE_MS)) ? 'probe' : { until: now + AGAIN_MS };
  }

  close(credential: string, until: number, cause: string, by: Throttler): void {
    const known = this.#known.get(credential);
    if (known && until <= known.until && known.versions.get(by.reference) === by.version) return;
    const versions = new Map(known?.versions).set(by.reference, by.version);
    this.#known.set(credential, { credential, until: Math.max(until, known?.until ?? 0), cause, versions });
    this.#store(credential, until, cause, by);
  }

  /** Gives a probe back that nothing was sent with, or that nobody answered: another slice may try. */
  returnProbe(credential: string, by: Throttler): void {
    const known = this.#known.get(credential);
    if (known) this.#store(credential, known.until, known.cause, by);
  }

  #store(credential: string, until: number, cause: string, by: Throttler): void {
    const { store, onError } = this.#options;
    this.#closing.set(credential, (this.#closing.get(credential) ?? 0) + 1);
    store
      .close(credential, until, cause, by)
      .catch(onError)
      .finally(() => {
        const left = this.#closing.get(credential)! - 1;
        if (left > 0) this.#closing.set(credential, left);
        else this.#closing.delete(credential);
      });
  }

  /** The provider takes pushes again, the credential was configured anew, or the operator says so. */
  lift(credential: string): void {
    const { store, onError } = this.#options;
    if (this.#forget(credential)) store.lift(credential).catch(onError);
  }

  /** Lifts a throttle that any replica made; resolves, once that is durable, to whether there was one. */
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

  /** Learns which credentials other replicas throttled, and which are free again. */
  async refresh(): Promise<void> {
    // A throttle on its way to the store may be missing in the reply.
    const before = [...this.#known.keys()].filter((credential) => !this.#closing.has(credential));
    const stored = await this.#options.store.all();
    const now = new Set(stored.map(({ credential }) => credential));
    for (const throttle of stored) {
      const known = this.#known.get(throttle.credential);
      if (!known || known.until <= throttle.until) this.#known.set(throttle.credential, throttle);
    }
    for (const credential of before) if (!now.has(credential)) this.#forget(credential);
  }
}

export interface ThrottleDocument {
  readonly _id: string;
  readonly channel: string;
  readonly blockedUntil: Date;
  readonly probedUntil?: Date;
  readonly cause: string;
  /** Versions of the settings that it was throttled with, by `<application>/<platform>`. */
  readonly versions: Readonly<Record<string, number>>;
}

export const mongoThrottles = (model: Model<ThrottleDocument>, channel: string): ThrottleStore => ({
  async close(credential, until, cause, { reference, version }) {
    const update = {
      $max: { blockedUntil: new Date(until) },
      $set: { channel, cause, [`versions.${reference}`]: version },
      $unset: { probedUntil: '' as const },
    };
    await model.updateOne({ _id: credential }, update, { upsert: true });
  },
  async all() {
    const found = await model.find({ channel }).lean<ThrottleDocument[]>();
    return found.map(({ _id, blockedUntil, cause, versions }) => ({
      credential: _id,
      until: blockedUntil.getTime(),
      cause,
      versions: new Map(Object.entries(versions)),
    }));
  },
  async probe(credential, now, until) {
    const free = [{ probedUntil: { $exists: false } }, { probedUntil: { $lte: new Date(now) } }];
    const { matchedCount } = await model.updateOne(
      { _id: credential, blockedUntil: { $lte: new Date(now) }, $or: free },
      { $set: { probedUntil: new Date(until) } },
    );
    return matchedCount === 1;
  },
  async lift(credential) {
    const { deletedCount } = await model.deleteOne({ _id: credential, channel });
    return deletedCount === 1;
  },
});

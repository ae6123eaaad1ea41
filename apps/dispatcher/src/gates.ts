import type { Clock } from '@tidings/kernel';
import type { Collection } from 'mongodb';

/** Where replicas share which credentials wait. */
export interface GateStore {
  /** Closes a gate until then, or longer if it is closed longer. */
  close(gate: string, until: number): Promise<void>;
  /** Every gate that is closed after `now`. */
  closed(now: number): Promise<readonly { readonly gate: string; readonly until: number }[]>;
}

/**
 * Credentials that a provider told to wait (429 or 503 with Retry-After). This process obeys at once, others when they next look, at most
 * a second later.
 */
export class Gates {
  readonly #store: GateStore;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #until = new Map<string, number>();

  constructor(store: GateStore, clock: Clock, onError: (error: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Until when nothing may be sent, in milliseconds of the business clock; 0 = it is open. */
  blockedUntil(gate: string): number {
    const until = this.#until.get(gate);
    if (until === undefined) return 0;
    if (until > this.#clock.now()) return until;
    this.#until.delete(gate);
    return 0;
  }

  /** Every gate that is closed, as far as it is known here. */
  closed(): string[] {
    return [...this.#until.keys()].filter((gate) => this.blockedUntil(gate) > 0);
  }

  close(gate: string, until: number): void {
    if (until <= (this.#until.get(gate) ?? this.#clock.now())) return;
    this.#until.set(gate, until);
    this.#store.close(gate, until).catch(this.#onError);
  }

  /** Learns which gates other replicas closed. */
  async refresh(): Promise<void> {
    for (const { gate, until } of await this.#store.closed(this.#clock.now())) {
      this.#until.set(gate, Math.max(until, this.#until.get(gate) ?? 0));
    }
  }
}

interface GateDocument {
  readonly _id: string;
  readonly blockedUntil: Date;
}

export const mongoGates = (collection: Collection<GateDocument>): GateStore => ({
  async close(gate, until) {
    await collection.updateOne({ _id: gate }, { $max: { blockedUntil: new Date(until) } }, { upsert: true });
  },
  async closed(now) {
    const found = await collection.find({ blockedUntil: { $gt: new Date(now) } }).toArray();
    return found.map(({ _id, blockedUntil }) => ({ gate: _id, until: blockedUntil.getTime() }));
  },
});

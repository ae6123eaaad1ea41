export interface SeenLeasesOptions {
  /** Time for which a lease holds after each renewal, which come at least four times as often. */
  readonly lengthMs: number;
  /** Milliseconds that pass evenly. @default performance.now */
  readonly steady?: () => number;
}

interface Sighting {
  readonly until: number;
  readonly at: number;
}

/**
 * Judges leases of other processes by whether they change, so that no clock that is set ends a live one, or keeps a dead one. A lease is over when it has not
 * changed for its length; for half of it suffices where its end has passed as well.
 */
export class SeenLeases {
  readonly #lengthMs: number;
  readonly #steady: () => number;
  readonly #seen = new Map<string, Sighting>();

  constructor({ lengthMs, steady = () => performance.now() }: SeenLeasesOptions) {
    this.#lengthMs = lengthMs;
    this.#steady = steady;
  }

  /** Call it at each look. @param until the stored end @param now of the clock that ends are stored by */
  isOver(id: string, until: number, now: number): boolean {
    const known = this.#seen.get(id);
    const at = known?.until === until ? known.at : this.#steady();
    if (at !== known?.at) this.#seen.set(id, { until, at });
    return this.#steady() - at > (until <= now ? this.#lengthMs / 2 : this.#lengthMs);
  }

  /** Forgets all other leases. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
  }
}

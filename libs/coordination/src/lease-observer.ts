export interface LeaseObserverOptions {
  readonly lengthMs: number;
  readonly steady?: () => number;
}

interface Sighting {
  readonly until: number;
  readonly at: number;
}

/** Judged by changes: set clocks neither end live leases nor keep dead ones. */
export class LeaseObserver {
  readonly #lengthMs: number;
  readonly #steady: () => number;
  readonly #sightings = new Map<string, Sighting>();

  constructor({ lengthMs, steady = () => performance.now() }: LeaseObserverOptions) {
    this.#lengthMs = lengthMs;
    this.#steady = steady;
  }

  isOver(id: string, until: number, now: number): boolean {
    const sighting = this.#sightings.get(id);
    const at = sighting?.until === until ? sighting.at : this.#steady();
    if (at !== sighting?.at) this.#sightings.set(id, { until, at });
    return this.#steady() - at > (until <= now ? this.#lengthMs / 2 : this.#lengthMs);
  }

  removeExcept(ids: ReadonlySet<string>): void {
    for (const id of this.#sightings.keys()) if (!ids.has(id)) this.#sightings.delete(id);
  }
}

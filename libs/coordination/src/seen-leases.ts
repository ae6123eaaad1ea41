export interface SeenLeasesOptions {
  readonly lengthMs: number;
  readonly steady?: () => number;
}

interface Sighting {
  readonly until: number;
  readonly at: number;
}

/** Judged by changes: set clocks neither end live leases nor keep dead ones. */
export class SeenLeases {
  readonly #lengthMs: number;
  readonly #steady: () => number;
  readonly #seen = new Map<string, Sighting>();

  constructor({ lengthMs, steady = () => performance.now() }: SeenLeasesOptions) {
    this.#lengthMs = lengthMs;
    this.#steady = steady;
  }

  isOver(id: string, until: number, now: number): boolean {
    const known = this.#seen.get(id);
    const at = known?.until === until ? known.at : this.#steady();
    if (at !== known?.at) this.#seen.set(id, { until, at });
    return this.#steady() - at > (until <= now ? this.#lengthMs / 2 : this.#lengthMs);
  }

  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
  }
}

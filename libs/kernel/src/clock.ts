/** The time of the system. Domain code takes times as inputs; only shells read a clock. */
export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that follows the system's and can be advanced: the test clock of architecture 8. */
export class ShiftedClock implements Clock {
  #aheadMs = 0;
  readonly #watchers = new Set<() => void>();

  /** Lead over the system's clock, in milliseconds. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** @param ms zero or more; a clock never goes back */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError('a clock cannot be set back');
    this.advanceTo(this.#aheadMs + ms);
  }

  /** Advances to `ms` ahead of the system's clock, unless it is further already. */
  advanceTo(ms: number): void {
    if (ms <= this.#aheadMs) return;
    this.#aheadMs = ms;
    for (const watcher of this.#watchers) watcher();
  }

  /** Calls back whenever it has been set forward. @returns a function that ends this */
  onAdvance(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }
}

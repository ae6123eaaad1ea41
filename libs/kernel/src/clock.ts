import { ForwardSteps } from './forward-steps.ts';

/** The time of the system. Domain code takes times as inputs; only shells read a clock. */
export interface Clock {
  /** Milliseconds since 1970 UTC. The system's clock can be set: see {@link steadyTime} and {@link sureTime}. */
  now(): number;
  /** @default `now` */
  steady?(): number;
  /** @default `now` */
  surely?(): number;
}

/** Milliseconds for waits within a process: it passes evenly, whatever the system's clock is set to. Its start has no meaning. */
export const steadyTime = (clock: Clock): number => clock.steady?.() ?? clock.now();

/**
 * Milliseconds since 1970 UTC for ends that cannot be undone. It follows a clock that is set back at once, and one that is set forward a day later:
 * nothing ends early because of a step.
 */
export const sureTime = (clock: Clock): number => clock.surely?.() ?? clock.now();

/** Milliseconds by which a clock is ahead because it was set forward within a day: what cannot be undone ends as much later. */
export const setForwardMs = (clock: Clock): number => clock.now() - sureTime(clock);

const forwardSteps = new ForwardSteps();

export const systemClock: Required<Clock> = {
  now: () => Date.now(),
  steady: () => performance.now(),
  surely: () => Date.now() - forwardSteps.leadMs(),
};

/** A clock that follows the system's and can be advanced: the test clock of architecture 8. */
export class ShiftedClock implements Clock {
  #aheadMs: number;
  readonly #watchers = new Set<() => void>();

  constructor(aheadMs = 0) {
    this.#aheadMs = aheadMs;
  }

  /** Lead over the system's clock, in milliseconds. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  now(): number {
    return systemClock.now() + this.#aheadMs;
  }

  steady(): number {
    return systemClock.steady() + this.#aheadMs;
  }

  surely(): number {
    return systemClock.surely() + this.#aheadMs;
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

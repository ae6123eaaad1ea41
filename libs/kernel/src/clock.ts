import { ForwardSteps } from './forward-steps.ts';

export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  steady?(): number;
  trusted?(): number;
}

/** Milliseconds for waits, from an arbitrary start; unaffected by set clocks. */
export const steadyTime = (clock: Clock): number => clock.steady?.() ?? clock.now();

/** For irrevocable ends: a forward step counts a day later, so nothing ends early. */
export const trustedTime = (clock: Clock): number => clock.trusted?.() ?? clock.now();

export const setForwardMs = (clock: Clock): number => clock.now() - trustedTime(clock);

const forwardSteps = new ForwardSteps();

export const systemClock: Required<Clock> = {
  now: () => Date.now(),
  steady: () => performance.now(),
  trusted: () => Date.now() - forwardSteps.leadMs(),
};

export class ShiftedClock implements Clock {
  #aheadMs: number;
  readonly #watchers = new Set<() => void>();

  constructor(aheadMs = 0) {
    this.#aheadMs = aheadMs;
  }

  get aheadMs(): number {
    return this.#aheadMs;
  }

  now(): number {
    return systemClock.now() + this.#aheadMs;
  }

  steady(): number {
    return systemClock.steady() + this.#aheadMs;
  }

  trusted(): number {
    return systemClock.trusted() + this.#aheadMs;
  }

  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError('a clock cannot be set back');
    this.advanceTo(this.#aheadMs + ms);
  }

  advanceTo(ms: number): void {
    if (ms <= this.#aheadMs) return;
    this.#aheadMs = ms;
    for (const watcher of this.#watchers) watcher();
  }

  onAdvance(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }
}

import { type Clock, ForwardSteps } from '@tidings/kernel';

export class TestClock implements Required<Clock> {
  #steady: number;
  #aheadMs = 0;
  readonly #steps: ForwardSteps;

  constructor(at: Date | string = '2026-01-15T12:00:00Z') {
    this.#steady = new Date(at).getTime();
    this.#steps = new ForwardSteps(
      () => this.now(),
      () => this.#steady,
    );
  }

  now(): number {
    return this.#steady + this.#aheadMs;
  }

  steady(): number {
    return this.#steady;
  }

  trusted(): number {
    return this.now() - this.#steps.leadMs();
  }

  get date(): Date {
    return new Date(this.now());
  }

  advance(seconds: number): void {
    this.#steady += seconds * 1000;
  }

  /** Sets the clock of the machine, forward or back, while no time passes. */
  step(seconds: number): void {
    this.#aheadMs += seconds * 1000;
  }
}

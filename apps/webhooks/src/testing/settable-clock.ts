import { ForwardSteps, ShiftedClock } from '@tidings/kernel';

/** A test clock that can be set as well, while no time passes. */
export class SettableClock extends ShiftedClock {
  #setMs = 0;
  readonly #steps = new ForwardSteps(
    () => this.now(),
    () => this.steady(),
  );

  override now(): number {
    return super.now() + this.#setMs;
  }

  override surely(): number {
    return this.now() - this.#steps.leadMs();
  }

  step(ms: number): void {
    this.#setMs += ms;
  }
}

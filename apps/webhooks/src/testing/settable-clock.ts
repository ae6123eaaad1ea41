import { ForwardSteps, ShiftedClock } from '@tidings/kernel';

export class SettableClock extends ShiftedClock {
  #setMs = 0;
  readonly #steps = new ForwardSteps(
    () => this.now(),
    () => this.steady(),
  );

  override now(): number {
    return super.now() + this.#setMs;
  }

  override trusted(): number {
    return this.now() - this.#steps.leadMs();
  }

  step(ms: number): void {
    this.#setMs += ms;
  }
}

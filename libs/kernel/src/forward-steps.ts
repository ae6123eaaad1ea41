/** Two clocks of a machine are read one after the other, and drift apart by less. */
const TOLERANCE_MS = 1_000;
/** A step is believed after this time. */
const DOUBTED_MS = 24 * 3_600_000;

/** How far the system's clock has been set forward in this process, by comparison with the monotonic one. */
export class ForwardSteps {
  readonly #wall: () => number;
  readonly #steady: () => number;
  /** The least difference of both clocks, and the last. */
  #least: number;
  #last: number;
  #steppedAt = 0;

  constructor(wall = (): number => Date.now(), steady = (): number => performance.now()) {
    this.#wall = wall;
    this.#steady = steady;
    this.#least = this.#last = wall() - steady();
  }

  /** Milliseconds by which the clock is ahead because of steps that are less than a day old. */
  leadMs(): number {
    const steady = this.#steady();
    const difference = this.#wall() - steady;
    if (difference > this.#last + TOLERANCE_MS) this.#steppedAt = steady;
    this.#last = difference;
    if (steady - this.#steppedAt > DOUBTED_MS) this.#least = difference;
    this.#least = Math.min(this.#least, difference);
    const lead = difference - this.#least;
    return lead > TOLERANCE_MS ? lead : 0;
  }
}

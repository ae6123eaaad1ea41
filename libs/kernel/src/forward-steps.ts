const TOLERANCE_MS = 1_000;
const DOUBTED_MS = 24 * 3_600_000;

export class ForwardSteps {
  readonly #wall: () => number;
  readonly #steady: () => number;
  #least: number;
  #last: number;
  #steppedAt = 0;

  constructor(wall = (): number => Date.now(), steady = (): number => performance.now()) {
    this.#wall = wall;
    this.#steady = steady;
    this.#least = this.#last = wall() - steady();
  }

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

/** Lets work on what is large go ahead in turns, so that memory is bounded however many callers there are. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param atOnce how many have their turn at a time */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Does the work when its turn has come; the next one's comes when it is done, failed or not. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

/** Lets work on what is large go ahead in turns, so that memory is bounded however many callers there are. */
export class Turns {
  #free: number;
  readonly #waiting: Waiting[] = [];

  /** @param atOnce the weight that may have its turn at a time; nothing weighs more */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Whether somebody waits. */
  get crowded(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves when the turn has come, in the order of asking. To be ended by what it resolves with, once. */
  async begin(weight = 1): Promise<() => void> {
    if (this.#waiting.length === 0 && weight <= this.#free) this.#free -= weight;
    else await new Promise<void>((resolve) => this.#waiting.push({ weight, begin: resolve }));
    return () => this.#end(weight);
  }

  /** Does the work when its turn has come; the next one's comes when it is done, failed or not. */
  async take<T>(work: () => Promise<T>, weight = 1): Promise<T> {
    const end = await this.begin(weight);
    try {
      return await work();
    } finally {
      end();
    }
  }

  #end(weight: number): void {
    this.#free += weight;
    for (let next = this.#waiting[0]; next && next.weight <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.weight;
      next.begin();
    }
  }
}

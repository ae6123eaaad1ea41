interface Waiter {
  readonly count: number;
  readonly give: () => void;
}

/** A bounded number of things that may be open at a time, given out in the order of asking, as many at once as were asked for. */
export class Permits {
  readonly #total: number;
  #free: number;
  readonly #waiting: Waiter[] = [];

  constructor(total: number) {
    this.#total = total;
    this.#free = total;
  }

  get used(): number {
    return this.#total - this.#free;
  }

  /** Resolves to true with `count` permits, which are released one by one, or to false when `cancelled` resolves first. */
  take(count: number, cancelled: Promise<void>): Promise<boolean> {
    if (this.#waiting.length === 0 && this.#free >= count) {
      this.#free -= count;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const waiter = { count, give: () => resolve(true) };
      this.#waiting.push(waiter);
      void cancelled.then(() => {
        const index = this.#waiting.indexOf(waiter);
        if (index < 0) return;
        this.#waiting.splice(index, 1);
        resolve(false);
        this.#serve();
      });
    });
  }

  release(): void {
    this.#free++;
    this.#serve();
  }

  #serve(): void {
    for (let next = this.#waiting[0]; next && next.count <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.count;
      next.give();
    }
  }
}

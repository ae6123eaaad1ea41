/** A bounded number of things that may be open at a time, given out in the order of asking. */
export class Permits {
  readonly #total: number;
  #free: number;
  readonly #waiting: { readonly give: () => void }[] = [];

  constructor(total: number) {
    this.#total = total;
    this.#free = total;
  }

  get used(): number {
    return this.#total - this.#free;
  }

  get free(): number {
    return this.#waiting.length > 0 ? 0 : this.#free;
  }

  /** True at once, or false: nothing is waited for. */
  tryTake(): boolean {
    if (this.free === 0) return false;
    this.#free--;
    return true;
  }

  /** Resolves to true with a permit, or to false when `cancelled` resolves first. */
  take(cancelled: Promise<void>): Promise<boolean> {
    if (this.tryTake()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiter = { give: () => resolve(true) };
      this.#waiting.push(waiter);
      void cancelled.then(() => {
        const index = this.#waiting.indexOf(waiter);
        if (index < 0) return;
        this.#waiting.splice(index, 1);
        resolve(false);
      });
    });
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next) next.give();
    else this.#free++;
  }
}

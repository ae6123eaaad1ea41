import { Fault } from '@tidings/kernel';

interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

/** Limits the total weight of concurrent work. Waiting work is served first come, first served: heavy work is not overtaken. */
export class Semaphore {
  #free: number;
  readonly #mostWaiting: number;
  readonly #waiting: Waiting[] = [];

  /**
   * @param capacity the maximum total weight; no work may weigh more
   * @param mostWaiting the maximum number of waiting calls @default unlimited
   */
  constructor(capacity: number, mostWaiting = Infinity) {
    this.#free = capacity;
    this.#mostWaiting = mostWaiting;
  }

  /** Whether a call waits. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Resolves when there is room, with a function that releases the weight: call it once.
   * @throws Fault `unavailable` if the maximum number of calls waits
   */
  async acquire(weight = 1): Promise<() => void> {
    if (this.#waiting.length === 0 && weight <= this.#free) this.#free -= weight;
    else if (this.#waiting.length >= this.#mostWaiting) throw Fault.unavailable('Too many concurrent calls');
    else await new Promise<void>((resolve) => this.#waiting.push({ weight, begin: resolve }));
    return () => this.#release(weight);
  }

  /**
   * Does the work when there is room, and releases the weight when the work has ended, failed or not.
   * @throws Fault `unavailable` where as many as may wait already
   */
  async run<T>(work: () => Promise<T>, weight = 1): Promise<T> {
    const release = await this.acquire(weight);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #release(weight: number): void {
    this.#free += weight;
    for (let next = this.#waiting[0]; next && next.weight <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.weight;
      next.begin();
    }
  }
}

import { Fault } from '@tidings/kernel';

interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

/** First come, first served: heavy work is not overtaken. */
export class Semaphore {
  #free: number;
  readonly #mostWaiting: number;
  readonly #waiting: Waiting[] = [];

  /** @param capacity total weight; no work may weigh more @param mostWaiting @default unlimited */
  constructor(capacity: number, mostWaiting = Infinity) {
    this.#free = capacity;
    this.#mostWaiting = mostWaiting;
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** @throws Fault `unavailable` if too many wait */
  async acquire(weight = 1): Promise<() => void> {
    if (this.#waiting.length === 0 && weight <= this.#free) this.#free -= weight;
    else if (this.#waiting.length >= this.#mostWaiting) throw Fault.unavailable('Too many concurrent calls');
    else await new Promise<void>((resolve) => this.#waiting.push({ weight, begin: resolve }));
    return () => this.#release(weight);
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
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

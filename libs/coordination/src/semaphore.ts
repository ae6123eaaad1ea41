import { Fault } from '@tidings/kernel';

interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

/** Bounds how much goes on at once: the rest waits, in the order of asking, and what is heavy is not overtaken. */
export class Semaphore {
  #free: number;
  readonly #mostWaiting: number;
  readonly #waiting: Waiting[] = [];

  /**
   * @param capacity the weight that goes on at a time; nothing may weigh more
   * @param mostWaiting how many may wait. @default any number
   */
  constructor(capacity: number, mostWaiting = Infinity) {
    this.#free = capacity;
    this.#mostWaiting = mostWaiting;
  }

  /** Whether somebody waits. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Resolves when there is room, with what gives it back: to be called once.
   * @throws Fault `unavailable` where as many as may wait already
   */
  async acquire(weight = 1): Promise<() => void> {
    if (this.#waiting.length === 0 && weight <= this.#free) this.#free -= weight;
    else if (this.#waiting.length >= this.#mostWaiting) throw Fault.unavailable('Too many concurrent calls');
    else await new Promise<void>((resolve) => this.#waiting.push({ weight, begin: resolve }));
    return () => this.#release(weight);
  }

  /**
   * Does the work when there is room, and gives the room back when it is done, failed or not.
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

import { type Clock, ForwardSteps } from '@tidings/kernel';
import type { Timers } from '../timers.ts';

/** Now, never, or not before. */
type Alive = () => boolean | number;

interface Event {
  at: number;
  readonly order: number;
  readonly run: () => void;
  readonly alive: Alive;
}

const always: Alive = () => true;

export class VirtualClock implements Required<Clock> {
  readonly steady: () => number;
  readonly #steps: ForwardSteps;
  #aheadMs = 0;

  constructor(time: { now(): number }) {
    this.steady = () => time.now();
    this.#steps = new ForwardSteps(() => this.now(), this.steady);
  }

  now(): number {
    return this.steady() + this.#aheadMs;
  }

  trusted(): number {
    return this.now() - this.#steps.leadMs();
  }

  step(ms: number): void {
    this.#aheadMs += ms;
  }
}

/** Advances only when everything due has happened, promises included. */
export class VirtualTime {
  #now: number;
  #order = 0;
  readonly #heap: Event[] = [];
  readonly clock: VirtualClock;

  constructor(now: number) {
    this.#now = now;
    this.clock = new VirtualClock(this);
  }

  now(): number {
    return this.#now;
  }

  at(ms: number, run: () => void, alive: Alive = always): () => void {
    const event = { at: this.#now + Math.max(0, ms), order: this.#order++, run, alive };
    this.#push(event);
    return () => void (event.run = () => undefined);
  }

  /** They stop while the process is frozen, and vanish when it is dead. */
  timers(alive: Alive, clock = this.clock): Timers {
    return { now: () => this.#now, wall: () => clock.now(), after: (ms, run) => this.at(ms, run, alive) };
  }

  async run(end: number, isDone: () => boolean = () => false): Promise<void> {
    await drained();
    for (let event = this.#pop(); ; event = this.#pop()) {
      if (event && event.at <= end && !isDone()) await this.#fire(event);
      else {
        if (event) this.#push(event);
        if (!isDone()) this.#now = Math.max(this.#now, end);
        return;
      }
    }
  }

  async #fire(event: Event): Promise<void> {
    this.#now = event.at;
    const alive = event.alive();
    if (alive === true) {
      event.run();
      await drained();
    } else if (typeof alive === 'number') {
      event.at = Math.max(alive, this.#now) + 0.001;
      this.#push(event);
    }
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let i = heap.push(event) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!before(event, heap[parent]!)) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = event;
  }

  #pop(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, last)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

const drained = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const before = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

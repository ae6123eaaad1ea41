import type { Clock } from '@tidings/kernel';

/** A clock that only moves when a test sets it. */
export class TestClock implements Clock {
  #now: number;

  constructor(at: Date | string = '2026-01-15T12:00:00Z') {
    this.#now = new Date(at).getTime();
  }

  now(): number {
    return this.#now;
  }

  get date(): Date {
    return new Date(this.#now);
  }

  advance(seconds: number): void {
    this.#now += seconds * 1000;
  }
}

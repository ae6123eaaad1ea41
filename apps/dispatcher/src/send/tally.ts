import type { Outcome } from '../dispatcher-metrics.ts';

export class Tally {
  readonly #counts: Record<string, number> = {};

  ended(outcomes: readonly Outcome[]): void {
    for (const { category, devices } of outcomes) this.#add(`tidings.outcome.${category}`, devices);
  }

  deferred(devices: number): void {
    this.#add('tidings.deferred', devices);
  }

  get attributes(): Readonly<Record<string, number>> {
    return this.#counts;
  }

  #add(name: string, count: number): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + count;
  }
}

import type { Outcome } from '../dispatcher-metrics.ts';

/** Counts the outcomes of a batch as attributes of its span: few, regardless of the number of devices. */
export class Tally {
  readonly #counts: Record<string, number> = {};

  ended(outcomes: readonly Outcome[]): void {
    for (const { category, devices } of outcomes) this.#add(`tidings.outcome.${category}`, devices);
  }

  /** Counts deferred devices. */
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

import type { Outcome } from '../dispatcher-metrics.ts';

/** Counts what becomes of a batch, in the words of its span: few, however many devices it has. */
export class Tally {
  readonly #counts: Record<string, number> = {};

  settled(outcomes: readonly Outcome[]): void {
    for (const { category, devices } of outcomes) this.#add(`tidings.outcome.${category}`, devices);
  }

  /** Devices that wait. */
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

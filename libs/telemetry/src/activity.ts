import type { Registry } from 'prom-client';

/**
 * Counts the work of a process that can move open work to another place: commands of its logs, publications, batches of records. Two equal readings
 * prove that none of it began or ended between them.
 */
export class Activity {
  #begun = 0;
  #ended = 0;
  readonly #counts: (() => number)[] = [];

  /** Counts an action from its begin to its end, however it ends. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#begun++;
    try {
      return await work();
    } finally {
      this.#ended++;
    }
  }

  /** Adds a count that is kept elsewhere; it never falls. */
  add(count: () => number): void {
    this.#counts.push(count);
  }

  /** Undefined while an action is under way. */
  read(): number | undefined {
    if (this.#begun !== this.#ended) return undefined;
    return this.#counts.reduce((sum, count) => sum + count(), this.#ended);
  }
}

const activities = new WeakMap<Registry, Activity>();

/** The activity of the process that the registry belongs to. */
export function activityIn(registry: Registry): Activity {
  let activity = activities.get(registry);
  if (!activity) activities.set(registry, (activity = new Activity()));
  return activity;
}

import type { Registry } from 'prom-client';

/** Two equal readings prove that no work began or ended between them. */
export class Activity {
  #begun = 0;
  #ended = 0;
  readonly #counts: (() => number)[] = [];

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#begun++;
    try {
      return await work();
    } finally {
      this.#ended++;
    }
  }

  add(count: () => number): void {
    this.#counts.push(count);
  }

  read(): number | undefined {
    if (this.#begun !== this.#ended) return undefined;
    return this.#counts.reduce((sum, count) => sum + count(), this.#ended);
  }
}

const activities = new WeakMap<Registry, Activity>();

export function activityIn(registry: Registry): Activity {
  let activity = activities.get(registry);
  if (!activity) activities.set(registry, (activity = new Activity()));
  return activity;
}

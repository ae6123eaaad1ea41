import type { Document } from 'mongodb';

/** Needs no invalidation: a write detects changes of other writers. */
export class RecentParts {
  readonly #parts = new Map<string, Document>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  has(id: string, part: string): boolean {
    return this.#parts.has(keyOf(id, part));
  }

  take(id: string, part: string): Document | undefined {
    const key = keyOf(id, part);
    const taken = this.#parts.get(key);
    this.#parts.delete(key);
    return taken;
  }

  put(id: string, part: string, written: Document): void {
    this.#parts.set(keyOf(id, part), written);
    if (this.#parts.size > this.#most) this.#parts.delete(this.#parts.keys().next().value!);
  }
}

const keyOf = (id: string, part: string): string => `${id} ${part}`;

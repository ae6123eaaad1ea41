import type { Document } from 'mongodb';

/** Needs no invalidation: a write detects changes of other writers. */
export class RecentParts {
  readonly #parts = new Map<string, Document>();
  readonly #maxParts: number;

  constructor(maxParts: number) {
    this.#maxParts = maxParts;
  }

  has(id: string, part: string): boolean {
    return this.#parts.has(keyOf(id, part));
  }

  take(id: string, part: string): Document | undefined {
    const key = keyOf(id, part);
    const cached = this.#parts.get(key);
    this.#parts.delete(key);
    return cached;
  }

  put(id: string, part: string, written: Document): void {
    this.#parts.set(keyOf(id, part), written);
    if (this.#parts.size > this.#maxParts) this.#parts.delete(this.#parts.keys().next().value!);
  }
}

const keyOf = (id: string, part: string): string => `${id} ${part}`;

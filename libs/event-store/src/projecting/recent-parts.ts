import type { Document } from 'mongodb';

/**
 * Parts of documents as this process wrote them last, which need not be read again: writing tells whether somebody else has written since.
 * The one that was written longest ago is forgotten first.
 */
export class RecentParts {
  readonly #parts = new Map<string, Document>();
  readonly #most: number;

  /** @param most how many are kept. */
  constructor(most: number) {
    this.#most = most;
  }

  has(id: string, part: string): boolean {
    return this.#parts.has(keyOf(id, part));
  }

  /** Takes it out: what is not written then has to be read the next time. */
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

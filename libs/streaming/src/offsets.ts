/** How far a group is in a partition. */
export interface StoredOffset {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** Where offsets are kept. */
export interface OffsetStore {
  saveOffsets(offsets: readonly StoredOffset[]): Promise<void>;
}

const RETRY_MS = 500;

/** Something whose offset is stored. */
export interface Tracked {
  toStored(): StoredOffset;
}

/** Stores how far groups are: at once after a handler, and what changes until the next write is due goes out together with it. */
export class Offsets {
  readonly #store: OffsetStore;
  readonly #spacingMs: number;
  readonly #changed = new Set<Tracked>();
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;
  #closed = false;

  /** @param spacingMs the least time between two writes: under load, a write for each batch would cost more than the batch. */
  constructor(store: OffsetStore, spacingMs = 25) {
    this.#store = store;
    this.#spacingMs = spacingMs;
  }

  changed(tracked: Tracked): void {
    this.#changed.add(tracked);
    if (!this.#writing && !this.#timer) this.#schedule();
  }

  /** Resolves when everything that has changed so far was handed to the store, which may have failed: then it is tried again. */
  async flushed(): Promise<void> {
    await this.#writing;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#begin();
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.flushed();
    this.abandon();
  }

  /** Stores nothing any more. */
  abandon(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    const waitMs = this.#dueAt - performance.now();
    if (waitMs <= 0) {
      this.#begin();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#begin();
    }, waitMs);
  }

  #begin(): void {
    if (this.#writing || this.#closed || this.#changed.size === 0) return;
    this.#dueAt = performance.now() + this.#spacingMs;
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
      if (this.#changed.size > 0) this.#schedule();
    });
  }

  async #write(): Promise<void> {
    // What the same turn changes goes out together.
    await Promise.resolve();
    const batch = [...this.#changed];
    this.#changed.clear();
    try {
      await this.#store.saveOffsets(batch.map((tracked) => tracked.toStored()));
    } catch {
      for (const tracked of batch) this.#changed.add(tracked);
      this.#dueAt = performance.now() + RETRY_MS;
    }
  }
}

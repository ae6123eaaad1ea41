export interface StoredOffset {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface OffsetStore {
  saveOffsets(offsets: readonly StoredOffset[]): Promise<void>;
}

export interface OffsetsOptions {
  /** Called at the second failure in a row. */
  readonly warn: (text: string, cause: unknown) => void;
  /** From a change to its write, which takes all changes until then. @default 25 */
  readonly spacingMs?: number;
}

const RETRY_MS = 500;
/** A rebalancing group refuses its members' former offsets once. */
const FAILURES_TO_WARN_OF = 2;

export interface Tracked {
  toStored(): StoredOffset;
}

export class Offsets {
  readonly #store: OffsetStore;
  readonly #warn: OffsetsOptions['warn'];
  readonly #spacingMs: number;
  readonly #changed = new Set<Tracked>();
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #closed = false;

  constructor(store: OffsetStore, { warn, spacingMs = 25 }: OffsetsOptions) {
    this.#store = store;
    this.#warn = warn;
    this.#spacingMs = spacingMs;
  }

  changed(tracked: Tracked): void {
    this.#changed.add(tracked);
    if (!this.#writing && !this.#timer) this.#schedule();
  }

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

  abandon(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#begin();
      },
      this.#failures > 0 ? RETRY_MS : this.#spacingMs,
    );
  }

  #begin(): void {
    if (this.#writing || this.#closed || this.#changed.size === 0) return;
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
      if (this.#changed.size > 0) this.#schedule();
    });
  }

  async #write(): Promise<void> {
    // Changes of the same turn are written together.
    await Promise.resolve();
    const batch = [...this.#changed];
    this.#changed.clear();
    try {
      await this.#store.saveOffsets(batch.map((tracked) => tracked.toStored()));
      this.#failures = 0;
    } catch (error) {
      if (++this.#failures === FAILURES_TO_WARN_OF) this.#warn('offsets cannot be stored', error);
      for (const tracked of batch) this.#changed.add(tracked);
    }
  }
}

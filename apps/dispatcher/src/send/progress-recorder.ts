import type { Logger } from 'pino';
import type { Timers } from '../timers.ts';

/** A slice that is being sent. */
export interface RecordedSlice {
  /** Number of its devices with a result so far. */
  readonly results: () => number;
  /** Stores the results so far; false if another worker has claimed the slice. */
  readonly record: () => Promise<boolean>;
  /** Publishes the stored results. */
  readonly publish: () => Promise<void>;
}

export interface ProgressRecorderOptions {
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
}

/** Results are recorded after so many answers, and after this time at the latest: a crash repeats those that were not. */
const RECORD_ANSWERS = 400;
const RECORD_EVERY_MS = 250;
/** Minimum interval between publications of a slice, from its begin on. */
export const PUBLISH_EVERY_MS = 2_000;

interface Recording extends RecordedSlice {
  recorded: number;
  published: number;
  publishAt: number;
  isBusy: boolean;
}

/**
 * Records the results of slices that are being sent, so that a crash repeats few pushes, and publishes those of slices that await slow answers
 * (sending 4). Slices that end by themselves within {@link PUBLISH_EVERY_MS} publish once.
 */
export class ProgressRecorder {
  readonly #options: ProgressRecorderOptions;
  readonly #open = new Set<Recording>();
  readonly #writes = new Set<Promise<void>>();
  /** Answers since the last record of any slice. */
  #answers = 0;
  #cancel: (() => void) | undefined;

  constructor(options: ProgressRecorderOptions) {
    this.#options = options;
  }

  /** Records a slice until the returned function is called. */
  begin(slice: RecordedSlice): () => void {
    const publishAt = this.#options.timers.now() + PUBLISH_EVERY_MS;
    const open: Recording = { ...slice, recorded: 0, published: 0, publishAt, isBusy: false };
    this.#open.add(open);
    return () => void this.#open.delete(open);
  }

  /** Resolves when no write is in progress. */
  async idle(): Promise<void> {
    this.#cancel?.();
    await Promise.all(this.#writes);
  }

  /** Called for each answer of a provider. */
  answered(): void {
    if (++this.#answers >= RECORD_ANSWERS) this.#record();
    else this.#cancel ??= this.#options.timers.after(RECORD_EVERY_MS, () => this.#record());
  }

  #record(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#answers = 0;
    let isBehind = false;
    for (const open of this.#open) {
      const results = open.results();
      if (results === open.published) continue;
      isBehind = true;
      if (!open.isBusy) this.#begin(open, results);
    }
    if (isBehind) this.#cancel = this.#options.timers.after(RECORD_EVERY_MS, () => this.#record());
  }

  #begin(open: Recording, results: number): void {
    open.isBusy = true;
    const write = this.#recordOne(open, results).finally(() => {
      open.isBusy = false;
      this.#writes.delete(write);
    });
    this.#writes.add(write);
  }

  async #recordOne(open: Recording, results: number): Promise<void> {
    const { timers, log } = this.#options;
    try {
      if (results > open.recorded && !(await open.record())) return;
      open.recorded = results;
      // One that has ended publishes its end.
      if (timers.now() < open.publishAt || !this.#open.has(open)) return;
      open.publishAt = timers.now() + PUBLISH_EVERY_MS;
      await open.publish();
      open.published = results;
    } catch (error) {
      // The next round tries again, and so does the end of the slice.
      log.warn({ err: error }, 'the progress of a slice was not recorded');
    }
  }
}

import type { Logger } from 'pino';
import type { Timers } from '../timers.ts';

export interface RecordedSlice {
  readonly results: () => number;
  readonly remaining: () => number;
  readonly record: () => Promise<boolean>;
  readonly publish: () => Promise<void>;
}

export interface ProgressRecorderOptions {
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
}

/** A crash repeats about as many answers, and those of the last {@link RECORD_EVERY_MS}. */
const UNRECORDED_MAX = 400;
const UNRECORDED_TARGET = 100;
const ENDING = 150;
const ENDING_MAX = 500;
const COUNTED_EVERY = 50;
const RECORD_EVERY_MS = 250;
export const PUBLISH_EVERY_MS = 2_000;

interface Recording extends RecordedSlice {
  recorded: number;
  published: number;
  recordAt: number;
  publishAt: number;
  isBusy: boolean;
}

const unrecorded = (open: Recording): number => open.results() - open.recorded;

export class ProgressRecorder {
  readonly #options: ProgressRecorderOptions;
  readonly #open = new Set<Recording>();
  readonly #writes = new Set<Promise<void>>();
  #answers = 0;
  #cancel: (() => void) | undefined;

  constructor(options: ProgressRecorderOptions) {
    this.#options = options;
  }

  begin(slice: RecordedSlice): () => void {
    const now = this.#options.timers.now();
    const [recordAt, publishAt] = [now + RECORD_EVERY_MS, now + PUBLISH_EVERY_MS];
    const open: Recording = { ...slice, recorded: 0, published: 0, recordAt, publishAt, isBusy: false };
    this.#open.add(open);
    return () => void this.#open.delete(open);
  }

  async idle(): Promise<void> {
    this.#cancel?.();
    await Promise.all(this.#writes);
  }

  answered(): void {
    this.#cancel ??= this.#options.timers.after(RECORD_EVERY_MS, () => this.#recordDue());
    if (++this.#answers % COUNTED_EVERY === 0) this.#recordMost();
  }

  #recordMost(): void {
    // A slice without unanswered devices is being settled.
    const slices = [...this.#open].filter((open) => open.remaining() > 0).sort((a, b) => unrecorded(b) - unrecorded(a));
    let pendingResults = slices.reduce((sum, open) => sum + unrecorded(open), 0);
    if (pendingResults < UNRECORDED_MAX) return;
    const isEnding = (open: Recording): boolean => pendingResults <= ENDING_MAX && open.remaining() <= ENDING;
    for (const open of slices) {
      if (pendingResults <= UNRECORDED_TARGET) return;
      if (isEnding(open)) continue;
      pendingResults -= unrecorded(open);
      this.#begin(open);
    }
  }

  #recordDue(): void {
    const now = this.#options.timers.now();
    let nextAt = Infinity;
    for (const open of this.#open) {
      if (open.results() === open.published) continue;
      if (open.recordAt <= now) {
        open.recordAt = now + RECORD_EVERY_MS;
        this.#begin(open);
      }
      nextAt = Math.min(nextAt, open.recordAt);
    }
    this.#cancel = nextAt < Infinity ? this.#options.timers.after(nextAt - now, () => this.#recordDue()) : undefined;
  }

  #begin(open: Recording): void {
    if (open.isBusy) return;
    open.isBusy = true;
    open.recordAt = this.#options.timers.now() + RECORD_EVERY_MS;
    const write = this.#record(open).finally(() => {
      open.isBusy = false;
      this.#writes.delete(write);
    });
    this.#writes.add(write);
  }

  async #record(open: Recording): Promise<void> {
    const { timers, log } = this.#options;
    const [before, results] = [open.recorded, open.results()];
    try {
      open.recorded = results;
      if (results > before && !(await open.record())) return;
      if (timers.now() < open.publishAt || !this.#open.has(open)) return;
      open.publishAt = timers.now() + PUBLISH_EVERY_MS;
      await open.publish();
      open.published = results;
    } catch (error) {
      open.recorded = before;
      log.warn({ err: error }, 'the progress of a slice was not recorded');
    }
  }
}

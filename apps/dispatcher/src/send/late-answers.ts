import type { Timers } from '../timers.ts';
import type { SliceRun } from './slice-run.ts';

export interface LateAnswersOptions {
  readonly run: Pick<SliceRun, 'abandon' | 'lateAnswers' | 'onLate' | 'outstanding'>;
  readonly timers: Timers;
  /** End of the wait, on the timers' clock. */
  readonly until: number;
  /** Stores the known results; false if the slice has been claimed since. `last`: no further answer follows. */
  readonly write: (last: boolean) => Promise<boolean>;
  /** Releases the slots of this number of devices. */
  readonly release: (devices: number) => void;
  /** Called once. */
  readonly onEnd: () => void;
}

/** Minimum interval between writes of single answers; the last one is written at once. */
const WRITE_EVERY_MS = 250;

/**
 * Waits for the answers of a deferred slice (sending 4): a slow answer is not a lost one. Each answer settles its device in the store, and frees its
 * slot. Ends with the last one, at the deadline, or when the slice is claimed again.
 */
export class LateAnswers {
  readonly #options: LateAnswersOptions;
  #written = 0;
  #released: number;
  #writing: Promise<void> | undefined;
  #ended = false;
  #cancel: () => void = () => undefined;
  readonly #cancelEnd: () => void;

  constructor(options: LateAnswersOptions) {
    this.#options = options;
    const { run, timers, until } = options;
    this.#released = run.outstanding;
    this.#cancelEnd = timers.after(until - timers.now(), () => this.abandon());
    run.onLate = () => this.#changed();
  }

  /** Stores the answers that have arrived since the slice was deferred. */
  start(): void {
    this.#writeOrEnd();
  }

  /** Stops waiting as soon as the answers that have arrived are stored. */
  async stop(): Promise<void> {
    await this.#writing;
    this.#writeOrEnd();
    await this.#writing;
    this.abandon();
  }

  /** Stops waiting at once. */
  abandon(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancel();
    this.#cancelEnd();
    const { run, onEnd } = this.#options;
    run.abandon();
    this.#release(0);
    onEnd();
  }

  #changed(): void {
    if (this.#ended) return;
    const { run, timers } = this.#options;
    this.#release(run.outstanding);
    if (this.#writing) return;
    this.#cancel();
    this.#cancel = timers.after(run.outstanding === 0 ? 0 : WRITE_EVERY_MS, () => this.#writeOrEnd());
  }

  #release(outstanding: number): void {
    const devices = this.#released - outstanding;
    this.#released = outstanding;
    if (devices > 0) this.#options.release(devices);
  }

  #writeOrEnd(): void {
    const { run, write } = this.#options;
    if (this.#ended || this.#writing) return;
    const { lateAnswers, outstanding } = run;
    if (lateAnswers === this.#written) {
      if (outstanding === 0) this.abandon();
      return;
    }
    this.#cancel();
    this.#writing = write(outstanding === 0).then(
      (kept) => this.#wrote(kept, lateAnswers),
      () => this.#wrote(false, lateAnswers),
    );
  }

  #wrote(kept: boolean, lateAnswers: number): void {
    this.#writing = undefined;
    this.#written = lateAnswers;
    if (!kept) this.abandon();
    else if (this.#options.run.outstanding === 0) this.#writeOrEnd();
    else if (this.#options.run.lateAnswers > lateAnswers) this.#changed();
  }
}

import type { Logger } from 'pino';
import type { Timers } from '../timers.ts';
import { PUBLISH_EVERY_MS } from './progress-recorder.ts';
import type { SliceRun } from './slice-run.ts';

export interface LateAnswersOptions {
  readonly run: Pick<SliceRun, 'abandon' | 'lateAnswers' | 'onLate' | 'outstanding'>;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
  /** End of the wait, on the timers' clock. */
  readonly until: number;
  /** Stores the known results; false if the slice has been claimed since. `last`: no further answer follows. */
  readonly write: (last: boolean) => Promise<boolean>;
  /** Publishes the stored results. Not called after the last write. */
  readonly publish: () => Promise<void>;
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
  #isUnpublished = false;
  /** The slice was published when it was deferred. */
  #publishAt: number;
  #publishing: Promise<void> = Promise.resolve();
  #cancel: (() => void) | undefined;
  #cancelPublication: (() => void) | undefined;
  readonly #cancelEnd: () => void;

  constructor(options: LateAnswersOptions) {
    this.#options = options;
    const { run, timers, until } = options;
    this.#released = run.outstanding;
    this.#publishAt = timers.now() + PUBLISH_EVERY_MS;
    this.#cancelEnd = timers.after(until - timers.now(), () => void this.stop());
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
    await this.#publishing;
  }

  /** Stops waiting at once. */
  abandon(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancelWrite();
    this.#cancelEnd();
    this.#publish();
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
    if (run.outstanding === 0) this.#cancelWrite();
    // Steady answers must not put the write off.
    this.#cancel ??= timers.after(run.outstanding === 0 ? 0 : WRITE_EVERY_MS, () => {
      this.#cancel = undefined;
      this.#writeOrEnd();
    });
  }

  #cancelWrite(): void {
    this.#cancel?.();
    this.#cancel = undefined;
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
    this.#cancelWrite();
    this.#writing = write(outstanding === 0).then(
      (kept) => {
        if (kept) this.#isUnpublished = outstanding > 0;
        this.#wrote(kept, lateAnswers);
      },
      () => this.#wrote(false, lateAnswers),
    );
  }

  #wrote(kept: boolean, lateAnswers: number): void {
    this.#writing = undefined;
    this.#written = lateAnswers;
    if (this.#isUnpublished) this.#publishInTime();
    if (!kept) this.abandon();
    else if (this.#options.run.outstanding === 0) this.#writeOrEnd();
    else if (this.#options.run.lateAnswers > lateAnswers) this.#changed();
  }

  #publishInTime(): void {
    const { timers } = this.#options;
    this.#cancelPublication ??= timers.after(this.#publishAt - timers.now(), () => this.#publish());
  }

  #publish(): void {
    this.#cancelPublication?.();
    this.#cancelPublication = undefined;
    if (!this.#isUnpublished) return;
    this.#isUnpublished = false;
    const { timers, publish, log } = this.#options;
    this.#publishAt = timers.now() + PUBLISH_EVERY_MS;
    this.#publishing = publish().catch((error: unknown) => {
      log.warn({ err: error }, 'late answers were not published');
      this.#isUnpublished = true;
      // Otherwise the next worker of the slice publishes them.
      if (!this.#ended) this.#publishInTime();
    });
  }
}

import type { Timers } from '../timers.ts';
import type { SliceRun } from './slice-run.ts';

export interface LateAnswersOptions {
  readonly run: Pick<SliceRun, 'abandon' | 'lateAnswers' | 'onLate' | 'outstanding'>;
  readonly timers: Timers;
  /** When nobody waits any more, on the timers' clock. */
  readonly until: number;
  /** Writes down what is known by now; false where the slice is somebody else's by now. `last`: nothing more is to come. */
  readonly write: (last: boolean) => Promise<boolean>;
  /** Gives back the slots of so many devices. */
  readonly release: (devices: number) => void;
  /** Called once. */
  readonly onEnd: () => void;
}

/** Answers that come one by one are written down together, at most so often; the last one at once. */
const WRITE_EVERY_MS = 250;

/**
 * Waits for the answers of a deferred slice (sending 4): a slow answer is not a lost one. Each that comes settles its device in the
 * store, and frees its slot. Ends with the last one, when its time is over, or when the slice is claimed again.
 */
export class LateAnswers {
  readonly #options: LateAnswersOptions;
  #written = 0;
  #released: number;
  #writing = false;
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

  /** Writes down what has come since the slice was deferred. */
  start(): void {
    this.#writeOrEnd();
  }

  /** Waits no more. */
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
    this.#writing = true;
    this.#cancel();
    write(outstanding === 0).then(
      (kept) => this.#wrote(kept, lateAnswers),
      () => this.#wrote(false, lateAnswers),
    );
  }

  #wrote(kept: boolean, lateAnswers: number): void {
    this.#writing = false;
    this.#written = lateAnswers;
    if (!kept) this.abandon();
    else if (this.#options.run.outstanding === 0) this.#writeOrEnd();
    else if (this.#options.run.lateAnswers > lateAnswers) this.#changed();
  }
}

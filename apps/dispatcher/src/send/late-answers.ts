import type { Logger } from 'pino';
import type { Timers } from '../timers.ts';
import { PUBLISH_EVERY_MS } from './progress-recorder.ts';
import type { SliceRun } from './slice-run.ts';

export interface LateAnswersOptions {
  readonly run: Pick<SliceRun, 'abandon' | 'lateAnswers' | 'onLate' | 'outstanding' | 'stop'>;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
  readonly until: number;
  readonly write: (last: boolean) => Promise<boolean>;
  readonly publish: () => Promise<void>;
  readonly release: (devices: number) => void;
  readonly onEnd: () => void;
}

const WRITE_EVERY_MS = 250;

export class LateAnswers {
  readonly #options: LateAnswersOptions;
  #written = 0;
  #released: number;
  #writing: Promise<void> | undefined;
  #ended = false;
  #isUnpublished = false;
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

  start(): void {
    this.#writeOrEnd();
  }

  async stop(): Promise<void> {
    await this.#writing;
    this.#writeOrEnd();
    await this.#writing;
    this.abandon();
    await this.#publishing;
  }

  stopRun(): void {
    this.#options.run.stop();
  }

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
    // Restarting the timer would let steady answers put the write off.
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
      (isStored) => {
        if (isStored) this.#isUnpublished = outstanding > 0;
        this.#wrote(isStored, lateAnswers);
      },
      () => this.#wrote(false, lateAnswers),
    );
  }

  #wrote(isStored: boolean, lateAnswers: number): void {
    this.#writing = undefined;
    this.#written = lateAnswers;
    if (this.#isUnpublished) this.#publishInTime();
    if (!isStored) this.abandon();
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
      if (!this.#ended) this.#publishInTime();
    });
  }
}

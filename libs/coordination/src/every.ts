import { type Clock, ShiftedClock } from '@tidings/kernel';
import type { Logger } from 'pino';

/** Work that is done again and again until it is stopped. */
export interface Periodic {
  /** Does the work now, or right after the run under way; resolves when that is done, failed or not. */
  now(): Promise<void>;
  /** Starts no further run and resolves when the one under way is done. */
  stop(): Promise<void>;
}

export interface EveryOptions {
  readonly name: string;
  readonly log: Logger;
  /** Do the work at once, too, and not only after the first interval. @default false */
  readonly immediately?: boolean;
  /** A clock that is set forward by an interval or more makes the work due at once. @default none */
  readonly clock?: Clock;
}

/**
 * Does `work` again `intervalMs` after it was last done: runs never overlap. A failure is logged (once per series of equal ones) and the
 * next run comes as usual. It does not keep the process alive.
 */
export function every(
  intervalMs: number,
  work: (signal: AbortSignal) => unknown,
  { name, log, immediately = false, clock }: EveryOptions,
): Periodic {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let again: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;

  const attempt = async (): Promise<void> => {
    try {
      await work(stopping.signal);
      if (failures > 0) log.info({ work: name, failures }, 'works again');
      failures = 0;
    } catch (error) {
      if (failures++ === 0) log.error({ work: name, err: error }, 'periodic work failed');
    }
  };
  const schedule = (): void => {
    if (!stopping.signal.aborted) timer = setTimeout(() => void run(), intervalMs).unref();
  };
  const run = (): Promise<void> => {
    clearTimeout(timer);
    running ??= attempt().finally(() => {
      running = undefined;
      schedule();
    });
    return running;
  };

  const now = (): Promise<void> => {
    if (stopping.signal.aborted) return Promise.resolve();
    if (!running) return run();
    again ??= running.then(() => {
      again = undefined;
      return stopping.signal.aborted ? undefined : run();
    });
    return again;
  };

  if (immediately) void run();
  else schedule();
  const unwatch = clock instanceof ShiftedClock ? onLeap(clock, intervalMs, () => void now()) : undefined;
  return {
    now,
    async stop() {
      unwatch?.();
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** Calls back when a clock has been set forward by an interval, in one step or in several. */
function onLeap(clock: ShiftedClock, intervalMs: number, due: () => void): () => void {
  let before = clock.aheadMs;
  return clock.onAdvance(() => {
    if (clock.aheadMs - before < intervalMs) return;
    before = clock.aheadMs;
    due();
  });
}

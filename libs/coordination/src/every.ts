import { type Clock, ShiftedClock } from '@tidings/kernel';
import type { Logger } from 'pino';

/** Work that is repeated until it is stopped. */
export interface Periodic {
  /** Does the work now, or right after the current run; resolves when that is done, failed or not. */
  now(): Promise<void>;
  /** Starts no further run and resolves when the current one is done. */
  stop(): Promise<void>;
}

export interface EveryOptions {
  readonly name: string;
  readonly log: Logger;
  /** Also do the work at once, not only after the first interval. @default false */
  readonly immediately?: boolean;
  /** An advance of this clock by an interval or more makes the work due at once. @default none */
  readonly clock?: Clock;
}

/**
 * Repeats `work` with a pause of `intervalMs`: runs never overlap. A failure is logged (once per series of equal ones) and the next run follows as
 * usual. It does not keep the process alive.
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
  let lastFailure: string | undefined;

  const attempt = async (): Promise<void> => {
    try {
      await work(stopping.signal);
      if (failures > 0) log.info({ work: name, failures }, 'periodic work recovered');
      failures = 0;
      lastFailure = undefined;
    } catch (error) {
      failures++;
      if (String(error) !== lastFailure) log.error({ work: name, err: error }, 'periodic work failed');
      lastFailure = String(error);
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

/** Calls back when a clock has been advanced by an interval, in one step or in several. */
function onLeap(clock: ShiftedClock, intervalMs: number, due: () => void): () => void {
  let before = clock.aheadMs;
  return clock.onAdvance(() => {
    if (clock.aheadMs - before < intervalMs) return;
    before = clock.aheadMs;
    due();
  });
}

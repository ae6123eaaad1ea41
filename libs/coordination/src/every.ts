import { type Clock, ShiftedClock } from '@tidings/kernel';
import type { Logger } from 'pino';

export interface Periodic {
  now(): Promise<void>;
  stop(): Promise<void>;
}

export interface EveryOptions {
  readonly name: string;
  readonly log: Logger;
  readonly immediately?: boolean;
  readonly clock?: Clock;
}

/** Runs never overlap. Equal failures in a row are logged once. */
export function every(
  intervalMs: number,
  work: (signal: AbortSignal) => unknown,
  { name, log, immediately = false, clock }: EveryOptions,
): Periodic {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let rerun: Promise<void> | undefined;
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
    rerun ??= running.then(() => {
      rerun = undefined;
      return stopping.signal.aborted ? undefined : run();
    });
    return rerun;
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

function onLeap(clock: ShiftedClock, intervalMs: number, due: () => void): () => void {
  let before = clock.aheadMs;
  return clock.onAdvance(() => {
    if (clock.aheadMs - before < intervalMs) return;
    before = clock.aheadMs;
    due();
  });
}

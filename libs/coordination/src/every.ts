import { type Clock, ShiftedClock } from '@tidings/kernel';
import type { Logger } from 'pino';

export interface Periodic {
  now(): Promise<void>;
  /** Brings the next run forward, also during a run. */
  within(ms: number): void;
  stop(): Promise<void>;
}

/** Work of equal intervals runs in one turn: it wakes the process once. */
export function toNextMultiple(intervalMs: number): number {
  const remainingMs = intervalMs - (performance.now() % intervalMs);
  return remainingMs < intervalMs / 4 ? remainingMs + intervalMs : remainingMs;
}

export interface EveryOptions {
  readonly name: string;
  readonly log: Logger;
  readonly immediately?: boolean;
  readonly clock?: Clock;
}

/** Runs never overlap. Equal failures in a row are logged once. A forward step of the clock brings the next run forward by as much. */
export function every(
  intervalMs: number,
  work: (signal: AbortSignal) => unknown,
  { name, log, immediately = false, clock }: EveryOptions,
): Periodic {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let rerun: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let nextAt = Infinity;
  let leaptMs = 0;
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
    within(toNextMultiple(intervalMs) - leaptMs);
  };
  const within = (ms: number): void => {
    const at = performance.now() + Math.max(0, ms);
    if (at >= nextAt) return;
    nextAt = at;
    if (!running) schedule();
  };
  const schedule = (): void => {
    clearTimeout(timer);
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => void run(), Math.max(0, nextAt - performance.now())).unref();
  };
  const run = (): Promise<void> => {
    if (running) return running;
    clearTimeout(timer);
    nextAt = Infinity;
    leaptMs = 0;
    running = attempt().finally(() => {
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
  const leap = (ms: number): void => {
    if (running) leaptMs += ms;
    else if (nextAt - performance.now() <= ms) void run();
    else within(nextAt - performance.now() - ms);
  };

  if (immediately) void run();
  else within(toNextMultiple(intervalMs));
  const unwatch = clock instanceof ShiftedClock ? onLeap(clock, leap) : undefined;
  return {
    now,
    within,
    async stop() {
      unwatch?.();
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

function onLeap(clock: ShiftedClock, leap: (ms: number) => void): () => void {
  let before = clock.aheadMs;
  return clock.onAdvance(() => {
    const ms = clock.aheadMs - before;
    before = clock.aheadMs;
    if (ms > 0) leap(ms);
  });
}

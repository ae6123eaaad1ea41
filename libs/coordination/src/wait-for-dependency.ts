import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import type { Logger } from 'pino';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

export interface WaitingOptions {
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** @throws errors other than `unavailable` at once */
export async function waitForDependency<T>(
  name: string,
  connect: () => Promise<T>,
  { log, signal }: WaitingOptions,
): Promise<T> {
  let last = Fault.unavailable(`${name} does not answer`);
  const end = (): never => {
    throw last;
  };
  if (signal.aborted) end();
  const ended = once(signal, 'abort').then(end);
  ended.catch(() => undefined);
  const startedAt = performance.now();
  for (let pause = FIRST_PAUSE_MS, tries = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS), tries++) {
    try {
      const connected = await Promise.race([connect(), ended]);
      if (tries > 1) log.info({ waitedFor: name, ms: Math.round(performance.now() - startedAt) }, 'available');
      return connected;
    } catch (error) {
      const fault = Fault.from(error);
      if (fault.kind !== 'unavailable' || signal.aborted) throw fault;
      last = fault;
      if (tries === 1) log.warn({ waitingFor: name, err: fault }, 'not available yet');
      await delay(pause * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => ended);
    }
  }
}

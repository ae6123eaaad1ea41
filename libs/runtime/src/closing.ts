import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Fault } from '@tidings/kernel';
import type { Logger } from 'pino';

/** Closes in reverse order, also after a failed start. */
export class Closing {
  readonly #closers: { readonly name: string; readonly close: () => unknown }[] = [];
  #closed: Promise<void> | undefined;
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  add<T>(name: string, opened: T, close: (opened: T) => unknown): T {
    this.#closers.push({ name, close: () => close(opened) });
    return opened;
  }

  addOpening<T>(name: string, opening: Promise<T>, close: (opened: T) => unknown): Promise<T> {
    const closeOpened = (): Promise<unknown> => opening.then(close, () => undefined);
    this.#closers.push({ name, close: closeOpened });
    return opening;
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      for (const { name, close } of this.#closers.splice(0).reverse()) {
        try {
          await close();
        } catch (error) {
          this.#log.error({ part: name, err: error }, 'closing failed');
        }
      }
    })();
    return this.#closed;
  }
}

/** A failure closes what has been added. */
export async function openWith<Opened>(log: Logger, open: (closing: Closing) => Promise<Opened>): Promise<Opened> {
  const closing = new Closing(log);
  try {
    return await open(closing);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

const SHUTDOWN_TIMEOUT_MS = 24_000;

const GUARD_MS = 1_000;

/** From a separate thread, whatever blocks the event loop. */
function guard(ms: number): void {
  const program = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${ms})`;
  new Worker(program, { eval: true, execArgv: [], stdout: false }).unref();
}

export interface ShutdownOptions {
  readonly log: Logger;
  readonly close: () => Promise<void>;
  /** @default 24000 */
  readonly timeoutMs?: number;
}

/** A second SIGINT ends at once. */
export function closeOnSignal({ log, close, timeoutMs = SHUTDOWN_TIMEOUT_MS }: ShutdownOptions): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) {
      if (signal === 'SIGINT') endProcess(130);
      return;
    }
    stopping = true;
    guard(timeoutMs + GUARD_MS);
    log.info({ signal }, 'stopping');
    const started = performance.now();
    const overdue = delay(timeoutMs, undefined, { ref: false }).then(() => {
      throw Fault.unavailable(`not closed after ${timeoutMs} ms`);
    });
    Promise.race([close(), overdue]).then(
      () => {
        log.info({ ms: Math.round(performance.now() - started) }, 'stopped');
        endProcess(0);
      },
      (error: unknown) => {
        log.error({ err: error }, 'stopped without closing');
        endProcess(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('SIGHUP', onSignal);
}

function endProcess(code: number): void {
  process.exitCode = code;
  process.exit();
}

export function endOnCrash(log: Logger): void {
  const crash = (error: unknown): void => {
    log.fatal({ err: error }, 'crashed');
    endProcess(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}

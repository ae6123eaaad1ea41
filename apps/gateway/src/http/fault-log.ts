import type { Fault } from '@tidings/kernel';
import type { Logger } from '@tidings/runtime';

const EVERY_MS = 1_000;

/** Logs the faults of requests. */
export type FaultLog = (fault: Fault, path: string) => void;

/** Faults of one kind since the last line about them. */
interface Window {
  suppressed: number;
  last: Readonly<Record<string, unknown>>;
}

/**
 * Logs every bug in full. Expected faults, while a service or a store is unavailable, get at most one line a second, without a stack and with the
 * number of suppressed ones: `tidings_http_request_seconds` counts them all.
 */
export function faultLog(log: Pick<Logger, 'warn' | 'error'>): FaultLog {
  let window: Window | undefined;

  const close = (): void => {
    if (!window) return;
    const { suppressed, last } = window;
    window = undefined;
    // The last of them gets a line here.
    if (suppressed > 0) write(last, suppressed - 1);
  };
  const write = (fields: Window['last'], suppressed: number): void => {
    log.warn({ ...fields, ...(suppressed > 0 && { suppressed }) }, 'request not served');
    window = { suppressed: 0, last: fields };
    setTimeout(close, EVERY_MS).unref();
  };

  return (fault, path) => {
    if (fault.kind === 'bug') return log.error({ err: fault, path }, 'request failed');
    if (fault.kind !== 'unavailable') return;
    const fields = { kind: fault.kind, path, reason: fault.internal ?? fault.message };
    if (!window) return write(fields, 0);
    window.suppressed++;
    window.last = fields;
  };
}

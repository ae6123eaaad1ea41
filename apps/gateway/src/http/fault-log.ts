import type { Fault } from '@tidings/kernel';
import type { Logger } from '@tidings/runtime';

const EVERY_MS = 1_000;

export type FaultLog = (fault: Fault, path: string) => void;

interface Window {
  suppressed: number;
  last: Readonly<Record<string, unknown>>;
}

/** Bugs are logged in full, expected faults once a second. */
export function faultLog(log: Pick<Logger, 'warn' | 'error'>): FaultLog {
  let window: Window | undefined;

  const close = (): void => {
    if (!window) return;
    const { suppressed, last } = window;
    window = undefined;
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

import { writeSync } from 'node:fs';
import { Fault } from '@tidings/kernel';
import { isDriverError } from '@tidings/mongo';

const isSystemError = (error: unknown): error is Error =>
  error instanceof Error && typeof (error as { code?: unknown }).code === 'string' && 'syscall' in error;

export function reasonOf(error: unknown): string {
  if (error instanceof Fault && error.kind !== 'bug') return error.message;
  if (isDriverError(error)) return `MongoDB: ${error.message}`;
  if (isSystemError(error)) return error.message;
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\nCaused by ${error.cause.stack ?? error.cause.message}` : own;
}

export function giveUp(program: string, error: unknown): never {
  try {
    writeSync(2, `${program} cannot start.\n${reasonOf(error)}\n`);
  } catch {
    // There is no reader; the exit code reports the failure.
  }
  process.exit(1);
}

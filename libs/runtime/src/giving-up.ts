import { writeSync } from 'node:fs';
import { Fault } from '@tidings/kernel';
import { MongoError } from 'mongodb';

const isSystemError = (error: unknown): error is Error =>
  error instanceof Error && typeof (error as { code?: unknown }).code === 'string' && 'syscall' in error;

/** Why a start has failed: a sentence for what has a place outside the program; the stack for a bug alone. */
export function reasonOf(error: unknown): string {
  if (error instanceof Fault && error.kind !== 'bug') return error.message;
  if (error instanceof MongoError) return `MongoDB: ${error.message}`;
  if (isSystemError(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Says in plain words why the program named cannot start, and ends the process with 1. */
export function giveUp(program: string, error: unknown): never {
  try {
    writeSync(2, `${program} cannot start.\n${reasonOf(error)}\n`);
  } catch {
    // Nobody reads it; the exit code says that it did not start.
  }
  process.exit(1);
}

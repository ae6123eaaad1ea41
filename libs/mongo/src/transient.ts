import { Fault } from '@tidings/kernel';
import {
  MongoCompatibilityError,
  MongoError,
  MongoInvalidArgumentError,
  MongoServerError,
  MongoWriteConcernError,
} from '@tidings/patches/mongodb-errors';

/** The operation may have happened, may still happen, or never will. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome';
}

/** 8 is any error without its own code, such as a full disk. */
const TRANSIENT_CODES: ReadonlySet<unknown> = new Set([
  ...[
    6, 7, 8, 24, 37, 38, 39, 42, 43, 46, 50, 63, 64, 79, 89, 91, 94, 100, 107, 112, 117, 133, 134, 150, 175, 176, 189,
  ],
  ...[202, 215, 216, 234, 237, 239, 246, 262, 264, 276, 279, 290, 317, 355, 365, 371, 384, 391, 402, 407, 433, 449],
  ...[450, 462, 9001, 10058, 10107, 11600, 11601, 11602, 13388, 13435, 13436, 14031],
]);

/** Only the text identifies storage errors; other codes may quote callers' input. */
const GENERAL_CODES: ReadonlySet<unknown> = new Set([1, 67, 96, 125, 8000, 16814, 16819, 16820, 16821, 5642403]);
const STORAGE_TEXTS =
  /No space left|not enough space|space quota|available disk space|Disk quota exceeded|Read-only file system|Input\/output error|Too many open files|Cannot allocate memory|\bWT_[A-Z]/;

export interface ServerAnswer {
  readonly code?: unknown;
  readonly errmsg?: string | undefined;
  readonly message?: string | undefined;
}

export const isTransientAnswer = ({ code, errmsg, message = '' }: ServerAnswer): boolean =>
  TRANSIENT_CODES.has(code) || (GENERAL_CODES.has(code) && STORAGE_TEXTS.test(errmsg ?? message));

/** Broken sockets appear as system errors, or without a code in bulk writes. */
export function isTransient(error: unknown): boolean {
  if (error instanceof UnknownOutcome || error instanceof MongoWriteConcernError) return true;
  if (error instanceof MongoServerError) {
    // The code is that of the first refused statement only.
    if (writeErrorsOf(error).some(isTransientAnswer)) return true;
    return error.code === undefined || isTransientAnswer(error) || error.hasErrorLabel('RetryableWriteError');
  }
  if (error instanceof MongoInvalidArgumentError || error instanceof MongoCompatibilityError) return false;
  return error instanceof MongoError || isSystemError(error);
}

const writeErrorsOf = (error: object): readonly ServerAnswer[] =>
  'writeErrors' in error ? [error.writeErrors as ServerAnswer | readonly ServerAnswer[]].flat() : [];

export const isDriverError = (error: unknown): error is Error => error instanceof MongoError;

/** Errors of another realm have a different `Error`. */
const isSystemError = (error: unknown): boolean => typeof error === 'object' && error !== null && 'syscall' in error;

export const faultOf = (thrown: unknown): Fault =>
  isTransient(thrown) ? Fault.unavailable('The store does not answer', thrown) : Fault.from(thrown);

/** Keeps records from being dead-lettered during an outage. */
export async function transientAsFault<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isTransient(error) ? faultOf(error) : error;
  }
}

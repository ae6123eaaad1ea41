import { Fault } from '@tidings/kernel';
import {
  MongoCompatibilityError,
  MongoError,
  MongoInvalidArgumentError,
  MongoServerError,
  MongoWriteConcernError,
} from 'mongodb';

/** The store gave no reliable answer: the operation may have happened, may still happen, or never will. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome';
}

/** Server errors that do not refuse the command: elections, shutdowns, time-outs, lost connections, interrupted cursors. */
const TRANSIENT_CODES: ReadonlySet<unknown> = new Set([
  6, 7, 24, 43, 50, 63, 64, 79, 89, 91, 100, 112, 133, 134, 150, 175, 189, 202, 234, 237, 262, 317, 384, 9001, 10058,
  10107, 11600, 11602, 13388, 13435, 13436,
]);

export const isTransientCode = (code: unknown): boolean => TRANSIENT_CODES.has(code);

/**
 * Whether repeating an operation on MongoDB may help: after every error except the server's refusal of the command, and commands that the driver
 * refuses to send. The driver also reports broken sockets as plain system errors, and in a bulk write as a server error without a code.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof UnknownOutcome || error instanceof MongoWriteConcernError) return true;
  if (error instanceof MongoServerError) {
    const { code } = error;
    return code === undefined || isTransientCode(code) || error.hasErrorLabel('RetryableWriteError');
  }
  if (error instanceof MongoInvalidArgumentError || error instanceof MongoCompatibilityError) return false;
  return error instanceof MongoError || isSystemError(error);
}

/** Identified by its fields: it may come from another realm, with a different `Error`. */
const isSystemError = (error: unknown): boolean => typeof error === 'object' && error !== null && 'syscall' in error;

/** The Fault in a caught value: `unavailable` for a transient error, otherwise as in {@link Fault.from}. */
export const faultOf = (thrown: unknown): Fault =>
  isTransient(thrown) ? Fault.unavailable('The store does not answer', thrown) : Fault.from(thrown);

/** Runs work on MongoDB; a transient error becomes a Fault `unavailable`, so that a record is not dead-lettered during an outage. */
export async function transientAsFault<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isTransient(error) ? faultOf(error) : error;
  }
}

import { Fault } from '@tidings/kernel';
import { MongoError, MongoServerError } from 'mongodb';

/** Server errors that are no verdict on the command: elections, shutdowns, time-outs, lost connections. */
const PASSING_CODES: ReadonlySet<unknown> = new Set([
  6, 7, 24, 50, 64, 79, 89, 91, 100, 112, 133, 189, 202, 234, 237, 262, 317, 9001, 10107, 11600, 11602, 13388, 13435,
  13436,
]);

function isPassing(error: unknown): boolean {
  if (error instanceof MongoServerError) {
    return PASSING_CODES.has(error.code) || error.hasErrorLabel('RetryableWriteError');
  }
  // A lost socket comes from the driver as the system's error, too.
  return error instanceof MongoError || (error instanceof Error && 'syscall' in error);
}

/** Work on MongoDB, with what may pass as a Fault `unavailable`: a record must not be parked because the server was away. */
export async function passing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isPassing(error)) throw Fault.unavailable('The store does not answer', error);
    throw error;
  }
}

import {
  MongoCompatibilityError,
  MongoError,
  MongoInvalidArgumentError,
  MongoServerError,
  MongoWriteConcernError,
} from 'mongodb';
import { Unanswered } from '../store.ts';

/**
 * How long one command to MongoDB may take before it counts as unanswered; majority writes are told the same. With the 3 s after which a
 * writer answers `unavailable` it makes the 5 s after which nothing comes into effect any more.
 */
export const ATTEMPT_MS = 2000;

/** Server errors that are no verdict on the command: elections, shutdowns, time-outs, lost connections, cut-off cursors. */
const PASSING_CODES: ReadonlySet<unknown> = new Set([
  6, 7, 24, 43, 50, 63, 64, 79, 89, 91, 100, 112, 133, 134, 150, 175, 189, 202, 234, 237, 262, 317, 384, 9001, 10058,
  10107, 11600, 11602, 13388, 13435, 13436,
]);
const DUPLICATE_KEY = 11000;

/** One entry of `writeErrors` in a write command's answer. */
export interface WriteError {
  readonly index: number;
  readonly code: number;
  readonly errmsg: string;
  readonly keyPattern?: Record<string, unknown>;
}

/** True for a document whose `_id` is taken; a unique index of the owner's is another matter. */
export const isDuplicateId = ({ code, errmsg, keyPattern }: WriteError): boolean =>
  code === DUPLICATE_KEY && (keyPattern ? '_id' in keyPattern : errmsg.includes('index: _id_'));

export const isPassingCode = (code: unknown): boolean => PASSING_CODES.has(code);

/**
 * Whether repeating may help: everything but a server's verdict on the command, and what the driver refuses to send. Broken sockets come
 * through the driver as plain system errors too.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof Unanswered || error instanceof MongoWriteConcernError) return true;
  if (error instanceof MongoServerError) {
    const { code } = error;
    return isPassingCode(code) || error.hasErrorLabel('RetryableWriteError');
  }
  if (error instanceof MongoInvalidArgumentError || error instanceof MongoCompatibilityError) return false;
  return error instanceof MongoError || (error instanceof Error && 'syscall' in error);
}

/** The answer of one command, or {@link Unanswered} when none comes in time or the error may pass. */
export async function answered<T>(command: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unanswered(`no answer within ${ATTEMPT_MS} ms`)), ATTEMPT_MS);
  });
  try {
    return await Promise.race([command, late]);
  } catch (error) {
    if (error instanceof Unanswered || !isPassing(error)) throw error;
    throw new Unanswered(error instanceof Error ? error.message : String(error), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

import { isTransient, UnknownOutcome } from '@tidings/mongo';

/**
 * How long one command to MongoDB may take before it counts as unanswered; majority writes are told the same. With the 3 s after which a
 * writer answers `unavailable` it makes the 5 s after which nothing comes into effect any more.
 */
export const ATTEMPT_MS = 2000;

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

/** The answer of one command, or {@link UnknownOutcome} when none comes in time or the error may pass. */
export async function answered<T>(command: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new UnknownOutcome(`no answer within ${ATTEMPT_MS} ms`)), ATTEMPT_MS);
  });
  try {
    return await Promise.race([command, late]);
  } catch (error) {
    if (error instanceof UnknownOutcome || !isTransient(error)) throw error;
    throw new UnknownOutcome(error instanceof Error ? error.message : String(error), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

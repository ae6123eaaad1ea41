import { DUPLICATE_KEY, isTransient, UnknownOutcome } from '@tidings/mongo';

/**
 * Time limit of one command to MongoDB, after which it counts as unanswered; majority writes have the same limit. Together with the 3 s until a
 * writer answers `unavailable` it bounds the time until a command can take effect to 5 s.
 */
export const ATTEMPT_MS = 2000;

/** One entry of `writeErrors` in a write command's answer. */
export interface WriteError {
  readonly index: number;
  readonly code: number;
  readonly errmsg: string;
  readonly keyPattern?: Record<string, unknown>;
}

/** True for a document whose `_id` exists; a conflict on the owner's unique index is another error. */
export const isDuplicateId = ({ code, errmsg, keyPattern }: WriteError): boolean =>
  code === DUPLICATE_KEY && (keyPattern ? '_id' in keyPattern : errmsg.includes('index: _id_'));

/** The answer of one command, or {@link UnknownOutcome} after the time limit or a transient error. */
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

import { DUPLICATE_KEY, isTransient, UnknownOutcome } from '@tidings/mongo';

/** With the writer's 3 s, a command takes effect within 5 s. */
export const ATTEMPT_MS = 2000;

export interface WriteError {
  readonly index: number;
  readonly code: number;
  readonly errmsg: string;
  readonly keyPattern?: Record<string, unknown>;
}

export const isDuplicateId = ({ code, errmsg, keyPattern }: WriteError): boolean =>
  code === DUPLICATE_KEY && (keyPattern ? '_id' in keyPattern : errmsg.includes('index: _id_'));

export async function withTimeout<T>(command: Promise<T>): Promise<T> {
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

import { Fault, newCode } from '@tidings/kernel';

/** Codes are random; this many in a row are never taken by chance. */
const TRIES = 5;

/** Writes something under a new code, again where the code turns out to be taken (`conflict`). */
export async function withNewCode(write: (code: string) => Promise<unknown>): Promise<string> {
  for (let tries = 1; ; tries++) {
    const code = newCode();
    try {
      await write(code);
      return code;
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'conflict' || tries === TRIES) throw error;
    }
  }
}

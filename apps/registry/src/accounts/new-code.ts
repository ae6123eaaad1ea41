import { Fault, newCode } from '@tidings/kernel';

/** Random codes: so many collisions in a row do not happen by chance. */
const TRIES = 5;

/** Creates an entity under a random code, and retries with another if the code is taken (`conflict`). */
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

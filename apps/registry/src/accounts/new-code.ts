import { Fault, newCode } from '@tidings/kernel';

const TRIES = 5;

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

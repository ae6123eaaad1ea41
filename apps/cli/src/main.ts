import { Refusal } from '@tidings/client';
import { endWithReader } from './closed-pipe.ts';
import { withoutControls } from './control-characters.ts';
import { programOf } from './program.ts';

interface Refused {
  readonly error?: { readonly message?: string };
  readonly status_message?: string;
  readonly status_code?: number;
  readonly message?: string;
}

function textOf(error: unknown): string {
  if (error instanceof Refusal) {
    const { body, status } = error.reply;
    const { error: fault, status_message: text, status_code: code, message } = body as Refused;
    return `${fault?.message ?? text ?? message ?? JSON.stringify(body)} (${code ?? status})`;
  }
  if (!(error instanceof Error)) return String(error);
  // The reason of `fetch failed` is in its cause.
  if (error instanceof TypeError && error.cause !== undefined) return textOf(error.cause);
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name);
}

endWithReader(process.stdout);
try {
  await programOf((text) => void process.stdout.write(text)).parseAsync();
} catch (error) {
  process.stderr.write(`${withoutControls(textOf(error))}\n`);
  process.exitCode = 1;
}

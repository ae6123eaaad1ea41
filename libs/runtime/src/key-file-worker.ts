import { parentPort } from 'node:worker_threads';
import { type KeyFile, keyFileContents } from './key-file-contents.ts';

/** A key file to open. */
export interface KeyFileTask {
  readonly bytes: Uint8Array;
  readonly password: string;
}

/** The content of the file, or the reason why it cannot be opened. */
export type KeyFileAnswer = { readonly opened: KeyFile } | { readonly refused: string };

parentPort?.on('message', ({ bytes, password }: KeyFileTask) => {
  const answer = (message: KeyFileAnswer): void => parentPort?.postMessage(message);
  keyFileContents(Buffer.from(bytes), password).then(
    (opened) => answer({ opened }),
    (error: unknown) => answer({ refused: error instanceof Error ? error.message : String(error) }),
  );
});

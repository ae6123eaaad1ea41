import { parentPort } from 'node:worker_threads';
import { type KeyFile, keyFileContents } from './key-file-contents.ts';
import { KeyError, type KeyFaultName } from './private-keys.ts';

export interface KeyFileTask {
  readonly bytes: Uint8Array;
  readonly password: string;
}

export type KeyFileAnswer = { readonly opened: KeyFile } | { readonly refused: string; readonly reason: KeyFaultName };

function answerTo({ bytes, password }: KeyFileTask): KeyFileAnswer {
  try {
    return { opened: keyFileContents(Buffer.from(bytes), password) };
  } catch (error) {
    const reason = error instanceof KeyError ? error.reason : 'unusable_key';
    return { refused: error instanceof Error ? error.message : String(error), reason };
  }
}

parentPort?.on('message', (task: KeyFileTask) => parentPort?.postMessage(answerTo(task)));

import { Worker } from 'node:worker_threads';
import { Fault } from '@tidings/kernel';
import type { KeyFile } from './key-file-contents.ts';
import type { KeyFileAnswer, KeyFileTask } from './key-file-worker.ts';
import { KeyError } from './private-keys.ts';

export type { KeyFile } from './key-file-contents.ts';

const MAX_BYTES = 64 * 1024;
const MAX_PASSWORD_CHARACTERS = 1024;
const MAX_WAITING = 100;
const DEADLINE_MS = 15_000;
const IDLE_MS = 30_000;
const MAX_HEAP_MB = 64;

// The build renames files, and rewrites only imports.
const program = new URL(`./key-file-worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

interface Waiting {
  readonly task: KeyFileTask;
  readonly resolve: (opened: KeyFile) => void;
  readonly reject: (fault: Fault) => void;
}

const cannotBeOpened = (cause: unknown): Fault => new Fault('argument', 'File cannot be opened', { cause });
const beyond = (limit: string): KeyError => new KeyError('key_file_limits', limit);
const notNow = (cause: unknown): Fault => Fault.unavailable('Key files cannot be opened now', cause);

export class KeyFileThread {
  readonly #waiting: Waiting[] = [];
  #worker: Worker | undefined;
  #current: Waiting | undefined;
  #timer: NodeJS.Timeout | undefined;

  open(task: KeyFileTask): Promise<KeyFile> {
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(Fault.unavailable('Too many key files are being opened'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#current) return;
    clearTimeout(this.#timer);
    this.#current = this.#waiting.shift();
    if (!this.#current) {
      this.#worker?.unref();
      this.#timer = setTimeout(() => this.#end(), IDLE_MS).unref();
      return;
    }
    try {
      this.#worker ??= this.#start();
    } catch (error) {
      // The next file tries again.
      return this.#settle(({ reject }) => reject(notNow(error)));
    }
    this.#worker.ref();
    this.#worker.postMessage(this.#current.task);
    this.#timer = setTimeout(() => {
      this.#end();
      this.#settle(({ reject }) => reject(Fault.unavailable('A key file took too long to open')));
    }, DEADLINE_MS);
  }

  protected newWorker(): Worker {
    return new Worker(program, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } });
  }

  #start(): Worker {
    const worker = this.newWorker();
    worker.on('message', (answer: KeyFileAnswer) => {
      if (worker !== this.#worker) return;
      this.#settle(({ resolve, reject }) =>
        'opened' in answer
          ? resolve(answer.opened)
          : reject(cannotBeOpened(new KeyError(answer.reason, answer.refused))),
      );
    });
    worker.on('error', (error: Error & { code?: unknown }) => {
      if (worker !== this.#worker) return;
      this.#worker = undefined;
      const isOfFile = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#settle(({ reject }) => reject(isOfFile ? cannotBeOpened(beyond(error.message)) : notNow(error)));
    });
    return worker;
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  #settle(how: (current: Waiting) => void): void {
    const current = this.#current;
    this.#current = undefined;
    if (current) how(current);
    this.#next();
  }
}

const thread = new KeyFileThread();

/**
 * At most 64 KiB, 32 entries, 500,000 hashes, 32 MiB of scrypt. @throws Fault `argument` caused by a {@link KeyError};
 * `unavailable` without a free thread
 */
export async function openKeyFile(bytes: Uint8Array, password: string): Promise<KeyFile> {
  if (bytes.length > MAX_BYTES) throw cannotBeOpened(beyond('the file is too large'));
  if (password.length > MAX_PASSWORD_CHARACTERS) throw cannotBeOpened(beyond('the password is too long'));
  // A copy: the bytes may be part of a larger buffer.
  return thread.open({ bytes: Uint8Array.from(bytes), password });
}

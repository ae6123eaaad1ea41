import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mongod, startMongod } from '@tidings/local-servers';
import { startProgram } from './processes.ts';

export async function startStore(): Promise<Mongod> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  const mongod = await startMongod(folder);
  return {
    ...mongod,
    async stop() {
      await mongod.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The program gets address and pid of an empty MongoDB before its arguments. @returns what it prints */
export async function runWithStore<Ready>(script: string, args: readonly string[] = []): Promise<Ready> {
  const store = await startStore();
  try {
    return (await startProgram<Ready>(script, [store.url, String(store.pid), ...args])).ready;
  } finally {
    await store.stop();
  }
}

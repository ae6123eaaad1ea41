import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The pid of Jest, whether or not this code runs in a worker. */
export const runner = (): number => (process.argv[1]?.includes('jest-worker') ? process.ppid : process.pid);

export const workerFolder = (name: string): string =>
  join(tmpdir(), `tidings-${name}-${runner()}-${process.env['JEST_WORKER_ID'] ?? '0'}`);

/** However Jest ends: a signal runs no exit handlers. */
export async function endWithJest(server: number, folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const mark = await open(join(folder, `kept-${server}`), 'wx').catch(() => undefined);
  if (!mark) return;
  await mark.close();
  const script = 'while kill -0 "$1" 2>/dev/null; do sleep 1; done; kill -9 "$2" 2>/dev/null; rm -rf "$3"';
  spawn('sh', ['-c', script, 'keeper', String(runner()), String(server), folder], {
    stdio: 'ignore',
    detached: true,
  }).unref();
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@tidings/runtime';
import { buildAll } from '@tidings/testing';
import { untilReady } from './process/until-ready.ts';

const entry = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const CLIENTS = 1_500;

/** The program with a limit on open files. */
const limited = (files: number, env: Readonly<Record<string, string>>): ChildProcess =>
  spawn('sh', ['-c', `ulimit -n ${files}; exec "$0" "$1"`, process.execPath, entry], {
    env: { ...process.env, LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** A silent client; resolves when it is connected or rejected. */
async function silent(port: number): Promise<Socket> {
  const socket = createConnection(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  return socket;
}

describe('few open files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidings-files-'));
    await buildAll();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('end the start where there are too few', async () => {
    const child = limited(256, { PORT: String(await freePort()), TIDINGS_DATA: join(folder, 'none') });
    const [errors, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit') as Promise<[number]>]);
    expect(code).toBe(1);
    expect(errors).toBe('Tidings cannot start.\nThe limit of open files is 256, and 512 are needed: ulimit -n 65536\n');
  });

  it('are never used up by clients that are silent: others are served as soon as they go', async () => {
    const port = await freePort();
    const child = limited(1_024, { PORT: String(port), TIDINGS_DATA: join(folder, 'data') });
    let output = '';
    child.stdout!.on('data', (chunk) => (output += String(chunk)));
    child.stderr!.resume();
    const alive = { alive: () => child.exitCode === null };
    try {
      await untilReady(`http://127.0.0.1:${port}`, alive, 90_000);
      expect(output).toContain('the limit of open files, 1024, allows 768 HTTP connections');
      const clients: Socket[] = [];
      for (let i = 0; i < CLIENTS; i += 100) {
        clients.push(...(await Promise.all(Array.from({ length: 100 }, () => silent(port)))));
      }
      for (const client of clients) client.destroy();
      await untilReady(`http://127.0.0.1:${port}`, alive, 30_000);
      expect(output).not.toContain('MongoDB has ended');
      expect(output).not.toContain('EMFILE');
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

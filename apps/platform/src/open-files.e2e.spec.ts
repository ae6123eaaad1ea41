import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, freePorts } from '@tidings/runtime';
import { buildAll } from '@tidings/testing';
import { untilReady } from '@tidings/testing/processes';

const entry = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const CLIENTS = 1_500;

const limited = (files: number, env: Readonly<Record<string, string>>): ChildProcess =>
  spawn('sh', ['-c', `ulimit -n ${files}; exec "$0" "$1"`, process.execPath, entry], {
    env: { ...process.env, LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

async function silent(port: number): Promise<Socket> {
  const socket = createConnection(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  return socket;
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = process.platform === 'linux' ? await readFile(`/proc/${pid}/status`, 'utf8') : '';
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

describe('a low limit of open files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidings-files-'));
    await buildAll();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('prevents the start if it is too low', async () => {
    const child = limited(256, { PORT: String(await freePort()), TIDINGS_DATA: join(folder, 'none') });
    const [errors, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit') as Promise<[number]>]);
    expect(code).toBe(1);
    expect(errors).toBe('Tidings cannot start.\nThe limit of open files is 256, and 512 are needed: ulimit -n 65536\n');
  });

  it('is never reached by silent clients: others are served after their disconnection', async () => {
    const [port, healthPort] = (await freePorts(2)) as [number, number];
    const child = limited(1_024, {
      PORT: String(port),
      HEALTH_PORT: String(healthPort),
      TIDINGS_DATA: join(folder, 'data'),
    });
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
      expect((await fetch(`http://127.0.0.1:${healthPort}/readyz`)).status).toBe(200);
      expect(await residentMegabytes(child.pid!)).toBeLessThan(700);
      for (const client of clients) client.destroy();
      await untilReady(`http://127.0.0.1:${port}`, alive, 30_000);
      expect(output).not.toContain('MongoDB ended');
      expect(output).not.toContain('EMFILE');
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpClient } from '@tidings/client';
import { freePort } from '@tidings/runtime';
import { buildAll } from '@tidings/testing';
import { type PlatformProcess, startPlatformProcess, untilReady } from '@tidings/testing/processes';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const entry = fileURLToPath(new URL('../dist/main.js', import.meta.url));

async function run(env: Record<string, string>): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, [entry], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { code, out, err };
}

/** The greeting is written as the program becomes ready. */
async function greetingOf(platform: PlatformProcess): Promise<string> {
  while (!platform.errors().includes('curl')) await delay(10);
  return platform.errors();
}

describe('the program', () => {
  let dataFolder: string;
  let first: PlatformProcess | undefined;

  beforeAll(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'tidings-start-'));
    await buildAll();
  });
  afterAll(async () => {
    await first?.kill('everything');
    await rm(dataFolder, { recursive: true, force: true });
  });

  it('refuses wrong settings with a line each, before it does anything', async () => {
    const { code, out, err } = await run({ PORT: 'http', FCM_URL: 'nowhere', TIDINGS_DATA: join(dataFolder, 'none') });
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err.split('\n')).toEqual([
      'Tidings cannot start.',
      'PORT: must be a port from 0 to 65535',
      'FCM_URL: must be an address that begins with https:// or http://',
      '',
    ]);
  });

  it('greets with a token, shown once, and a call that works as printed', async () => {
    const port = await freePort();
    first = await startPlatformProcess({ entry, dataFolder, port });
    const printed = await greetingOf(first);
    const [, token] = /shown this once: (\S+)/.exec(printed)!;
    const [, url, header, body] = /curl -s (\S+) -H "([^"]+)" -d '([^']+)'/.exec(printed)!;
    expect(header).toBe(`Authorization: Bearer ${token}`);
    const http = new HttpClient(url!, 1);
    const reply = await http.send(url!, { method: 'POST', headers: { authorization: header!.slice(15) }, body });
    http.close();
    expect(reply).toMatchObject({ status: 201, body: { token: expect.any(String) } });
    for (const line of first.output().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
    expect(first.output()).not.toContain(token);
  });

  it('refuses data that another process uses, and does not affect that process', async () => {
    const { code, err } = await run({ PORT: String(await freePort()), TIDINGS_DATA: dataFolder });
    expect(code).toBe(1);
    expect(err).toContain(`in use by process ${first!.pid}`);
    const http = new HttpClient(first!.url, 1);
    expect(await http.send('/readyz')).toMatchObject({ status: 200 });
    http.close();
  });

  it('ends with its database when npm is terminated', async () => {
    const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), 'tidings-npm-'))];
    const env = { ...process.env, LOG_LEVEL: 'error', PORT: String(port), TIDINGS_DATA: folder };
    const npm = spawn('npm', ['start'], { cwd: repository, env, stdio: 'ignore' });
    await untilReady(`http://127.0.0.1:${port}`, { alive: () => npm.exitCode === null }, 90_000);
    npm.kill('SIGTERM');
    await once(npm, 'exit');
    // MongoDB empties this file on a clean shutdown.
    while ((await readFile(join(folder, 'mongo', 'mongod.lock'), 'utf8')) !== '') await delay(20);
    await rm(folder, { recursive: true, force: true });
  });

  it('does not show the token again', async () => {
    const port = Number(new URL(first!.url).port);
    expect(await first!.stop()).toBe(0);
    first = await startPlatformProcess({ entry, dataFolder, port });
    const printed = await greetingOf(first);
    expect(printed).toContain('the one that the first start has shown');
    expect(printed).not.toContain('tdm_');
  });
});

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@tidings/runtime';
import { buildAll } from '@tidings/testing';
import { untilReady } from '@tidings/testing/processes';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const nobody = { uid: 65_534, gid: 65_534 };

const build = join(repository, 'tools', 'build.mjs');
/** Root only; the other user needs read access to the build. */
const canBeSomebodyElse =
  process.getuid?.() === 0 && spawnSync(process.execPath, ['--check', build], { ...nobody, cwd: '/' }).status === 0;
if (!canBeSomebodyElse) process.stderr.write('skipped: another user who runs what this one has built\n');

(canBeSomebodyElse ? describe : describe.skip)('a user who has not built it', () => {
  beforeAll(() => buildAll());

  it('finds everything built, and starts it', async () => {
    const built = spawnSync(process.execPath, [build], { ...nobody, cwd: repository, encoding: 'utf8' });
    expect([built.status, built.stderr]).toEqual([0, expect.stringMatching(/^built \d+ files/)]);

    const data = await mkdtemp(join(tmpdir(), 'tidings-nobody-'));
    await chown(data, nobody.uid, nobody.gid);
    const port = await freePort();
    const child = spawn('npm', ['--silent', 'start'], {
      ...nobody,
      cwd: repository,
      env: { ...process.env, HOME: data, LOG_LEVEL: 'error', PORT: String(port), TIDINGS_DATA: data },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (complaint += text));
    const ended = once(child, 'exit');
    const alive = (): boolean => child.exitCode === null && child.signalCode === null;
    try {
      await untilReady(`http://127.0.0.1:${port}`, { alive }, 180_000);
      if (!alive()) throw new Error(`ended before it was ready: ${complaint}`);
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
      await rm(data, { recursive: true, force: true });
    }
  });
});

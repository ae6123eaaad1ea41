import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const runtime = new URL('../dist/index.js', import.meta.url).href;

function program(body: string): ChildProcess {
  const text = `import { closeOnSignal, openLog } from ${JSON.stringify(runtime)};
    const log = openLog('info');
    const ready = () => process.stderr.write('ready');
    ${body}`;
  return spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function stopped(child: ChildProcess, by: NodeJS.Signals = 'SIGTERM'): Promise<unknown> {
  await once(child.stderr!, 'data');
  child.kill(by);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  child.stdout!.destroy();
  return code ?? signal;
}

describe('SIGTERM, and SIGHUP of a terminal that is closed', () => {
  beforeAll(() => promisify(execFile)(process.execPath, ['tools/build.mjs'], { cwd: repository }));

  it('ends a process whose output is a full pipe without a reader', async () => {
    const child = program(`
      closeOnSignal({ log, close: async () => { log.info('x'.repeat(100_000)); } });
      for (let i = 0; i < 1_000; i++) log.info({ text: 'x'.repeat(10_000) }, 'more than a pipe holds');
      setInterval(() => log.info('and more'), 1);
      ready();`);
    expect(await stopped(child)).toBe(0);
  });

  it('ends a process with a blocked event loop, once its time is over', async () => {
    const child = program(
      `closeOnSignal({ log, timeoutMs: 100, close: async () => { for (;;); } }); setInterval(() => {}, 1e6); ready();`,
    );
    expect(await stopped(child, 'SIGHUP')).toBe('SIGKILL');
  });
});

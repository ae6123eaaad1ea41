import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { freePort } from '@tidings/runtime';
import { buildAll, until } from '@tidings/testing';
import { startPlatformProcess } from './process/platform-process.ts';

const [demo, product] = ['../dist/start.js', '../../platform/dist/main.js'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
) as [string, string];

it('npm start serves the page of web push and prints its address; the program of the images does neither', async () => {
  await buildAll();
  const dataFolder = await mkdtemp(join(tmpdir(), 'tidings-demo-start-'));
  try {
    const port = await freePort();
    const statusWith = async (entry: string, lastLine: string) => {
      const running = await startPlatformProcess({ entry, dataFolder, port });
      try {
        await until(() => running.errors().includes(lastLine));
        return { status: (await fetch(`${running.url}/demo/web-push`)).status, errors: running.errors() };
      } finally {
        await running.stop();
      }
    };
    const note = `\nA push to your browser: http://127.0.0.1:${port}/demo/web-push\n`;
    expect(await statusWith(demo, note)).toMatchObject({ status: 200 });
    const { status, errors } = await statusWith(product, 'npm run mailbox');
    expect(status).toBe(404);
    expect(errors).not.toContain('/demo/');
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
});

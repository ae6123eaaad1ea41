import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from 'puppeteer-core';
import { freshFolder, removeFolder } from './world.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** The package unpacks itself and its libraries if it detects a cloud function. */
const UNPACKING = { AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' };

/** With its libraries: the machine needs no further packages. */
async function unpacked(folder: string): Promise<string> {
  const program = "import chromium from '@sparticuz/chromium'; process.stdout.write(await chromium.executablePath());";
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
    cwd: repository,
    env: { ...process.env, ...UNPACKING, TMPDIR: folder },
  });
  return stdout;
}

export interface TestBrowser {
  readonly browser: Browser;
  close(): Promise<void>;
}

/** At `PUPPETEER_EXECUTABLE_PATH`, else the one that npm installs, for Linux on x64. */
export async function startBrowser(): Promise<TestBrowser> {
  const { launch } = await import('puppeteer-core');
  const folder = await freshFolder();
  try {
    const executablePath = process.env['PUPPETEER_EXECUTABLE_PATH'] ?? (await unpacked(folder));
    const browser = await launch({
      executablePath,
      headless: 'shell',
      userDataDir: join(folder, 'profile'),
      // Tests in containers run as root, where Chromium has no sandbox.
      args: ['--no-sandbox', '--disable-setuid-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
      env: { ...process.env, HOME: folder, TMPDIR: folder, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') },
    });
    return {
      browser,
      async close() {
        await browser.close();
        await removeFolder(folder);
      },
    };
  } catch (error) {
    await removeFolder(folder);
    throw error;
  }
}

import { afterAll } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { startBrowser, type TestBrowser } from './browser.ts';
import { describeWhere } from './describe-where.ts';

/** Skips the suite without a browser; with `CI` set, it fails. */
export async function describeWithBrowser(name: string, suite: (browser: () => TestBrowser) => void): Promise<void> {
  const started = await startBrowser().catch((error: unknown) => {
    process.stderr.write(`No browser starts on this machine: ${name} is skipped. ${String(error)}\n`);
    return undefined;
  });
  describeWhere(started !== undefined)(name, () => {
    afterAll(() => started?.close());
    suite(() => {
      if (!started) throw Fault.unavailable('no browser starts on this machine');
      return started;
    });
  });
}

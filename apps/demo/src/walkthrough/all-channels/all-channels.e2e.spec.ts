import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { buildAll } from '@tidings/testing';

const demo = fileURLToPath(new URL('../../../dist/demo.js', import.meta.url));
/** Ten of each platform: every reaction occurs on each. */
const DEVICES = '130';

it('npm run demo -- --all-channels ends with funnels and ledgers that agree on every channel', async () => {
  await buildAll();
  const { code, out } = await new Promise<{ code: unknown; out: string }>((resolve) => {
    execFile(process.execPath, [demo, '--all-channels', '--devices', DEVICES], (error, out, err) =>
      resolve({ code: error?.code ?? 0, out: out + err }),
    );
  });
  expect([code, out]).toEqual([0, expect.stringContaining('Funnel and ledger agree on 11 channels')]);
  expect(out.match(/ yes$/gm)).toHaveLength(11);
});

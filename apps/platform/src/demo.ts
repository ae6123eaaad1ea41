import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Closing, openLog } from '@tidings/runtime';
import { runDemo } from './demo/run-demo.ts';

const { values } = parseArgs({
  options: {
    devices: { type: 'string', short: 'n', default: '10000' },
    cluster: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const devices = Number(values.devices);
if (!Number.isInteger(devices) || devices < 1 || devices > 1_000_000) {
  process.stderr.write('usage: npm run demo -- [--devices 1..1000000] [--cluster] [--keep]\n');
  process.exit(2);
}

const folder = await mkdtemp(join(tmpdir(), 'tidings-demo-'));
const closing = new Closing(openLog('error'));

let stopping = false;

async function end(code: number): Promise<never> {
  stopping = true;
  await closing.close();
  if (code === 0 && !values.keep) await rm(folder, { recursive: true, force: true });
  else process.stderr.write(`Data and logs are kept in ${folder}\n`);
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(130));

try {
  const agreed = await runDemo({
    devices,
    folder,
    apps: fileURLToPath(new URL('../../', import.meta.url)),
    cluster: values.cluster,
    adminToken: randomBytes(24).toString('base64url'),
    closing,
  });
  await end(agreed ? 0 : 1);
} catch (error) {
  if (!stopping) process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
  await end(1);
}

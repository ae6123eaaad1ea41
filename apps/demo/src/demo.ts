import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Closing, openLog } from '@tidings/runtime';
import { runAllChannels } from './walkthrough/all-channels/run-all-channels.ts';
import { runDemo } from './walkthrough/run-demo.ts';

const { values } = parseArgs({
  options: {
    devices: { type: 'string', short: 'n' },
    'all-channels': { type: 'boolean', default: false },
    cluster: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
/** The simulators' special phone numbers have four digits for the device. */
const [most, usual, run] = values['all-channels'] ? [9_999, 2_600, runAllChannels] : [1_000_000, 10_000, runDemo];
const devices = Number(values.devices ?? usual);
if (!Number.isInteger(devices) || devices < 1 || devices > most) {
  process.stderr.write(`usage: npm run demo -- [--all-channels] [--devices 1..${most}] [--cluster] [--keep]\n`);
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
process.on('SIGHUP', () => void (stopping ? undefined : end(130)));

try {
  const agreed = await run({
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

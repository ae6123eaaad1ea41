// Faults of every kind during broadcasts of the distributed mode, and their row in the ledger docs/chaos.md.
//   npm run chaos                          1,000,000 devices, 60 faults
//   FAULT_DEVICES=100000 CHAOS_FAULTS=20 CHAOS_ROUNDS=2 CRASH_SEED=7 npm run chaos
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './packages.mjs';

const env = {
  FAULT_DEVICES: '1000000',
  CHAOS_FAULTS: '60',
  CHAOS_ROUNDS: '1',
  // No test ends for hours.
  TIDINGS_HANG_AFTER_MS: String(6 * 3_600_000),
  CHAOS_LEDGER: join(root, 'docs/chaos.md'),
  ...process.env,
};
const suite = ['--selectProjects', 'alone', '--testNamePattern', 'faults in a row', 'cluster.faults.e2e'];
const { status } = spawnSync(process.execPath, ['tools/test.mjs', ...suite], { cwd: root, stdio: 'inherit', env });
process.exit(status ?? 1);

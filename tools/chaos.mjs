// Long runs of the distributed mode, and their rows in the ledgers. They end by themselves.
//   npm run chaos    faults of every kind during broadcasts: 1,000,000 devices, 60 faults; docs/chaos.md
//   npm run soak     a steady load for 60 minutes, 20,000 devices; docs/soak.md
//   FAULT_DEVICES=100000 CHAOS_FAULTS=20 CHAOS_ROUNDS=2 CRASH_SEED=7 npm run chaos
//   SOAK_MINUTES=240 npm run soak
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './packages.mjs';

const runs = {
  chaos: {
    title: 'faults in a row',
    env: {
      FAULT_DEVICES: '1000000',
      CHAOS_FAULTS: '60',
      CHAOS_ROUNDS: '1',
      CHAOS_LEDGER: join(root, 'docs/chaos.md'),
    },
    nodeOptions: [],
  },
  soak: {
    title: 'steady load',
    env: { FAULT_DEVICES: '20000', SOAK_MINUTES: '60', SOAK_LEDGER: join(root, 'docs/soak.md') },
    nodeOptions: ['--expose-gc', `--import=${pathToFileURL(join(root, 'tools/collect-garbage.mjs'))}`],
  },
};

const [name = 'chaos'] = process.argv.slice(2);
if (!Object.hasOwn(runs, name)) throw new Error(`no such run: ${name}; there are ${Object.keys(runs).join(', ')}`);
const { title, env: defaults, nodeOptions } = runs[name];
// No test ends for hours.
const env = { ...defaults, TIDINGS_HANG_AFTER_MS: String(6 * 3_600_000), ...process.env };
env.NODE_OPTIONS = [env.NODE_OPTIONS ?? '', ...nodeOptions].join(' ');
const suite = ['--selectProjects', 'clusters', '--testNamePattern', title, 'cluster.faults.e2e'];
const { status } = spawnSync(process.execPath, ['tools/test.mjs', ...suite], { cwd: root, stdio: 'inherit', env });
process.exit(status ?? 1);

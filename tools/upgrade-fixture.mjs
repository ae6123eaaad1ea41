// Makes the fixture of this version, whose data later versions must open (CONTRIBUTING.md, Releases): runs the platform, fills it, and keeps its data and
// its answers in `apps/cli/src/upgrade/fixture`. It replaces the fixture of the version before; the suite that reads it runs at the end, in both modes.
//   node tools/upgrade-fixture.mjs
import { spawnSync } from 'node:child_process';
import { root } from './packages.mjs';

const jest = 'node_modules/jest/bin/jest.js';
const suite = 'apps/cli/src/upgrade/upgrade.modes.e2e.spec.ts';
const make = { TIDINGS_UPGRADE_FIXTURE: 'make' };
const steps = [
  { args: ['tools/build.mjs'] },
  { args: [jest, '--selectProjects', 'embedded', '--', suite], variables: make },
  { args: [jest, '--selectProjects', 'distributed', '--', suite] },
];

for (const { args, variables } of steps) {
  const env = { ...process.env, TIDINGS_BUILT: '1', ...variables };
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}

import { execFileSync } from 'node:child_process';
import { swcOptions } from './tools/swc.mjs';

/**
 * The turn, 0 or 1, decides which of the two modes has a part of a suite that either mode decides by the same code (`describeInTurn`, `sharedOut`).
 * It is that of the commit, so that a run can be repeated and every part is seen in both modes within a few commits. `TIDINGS_TURN` sets it.
 */
function turnOf() {
  if (process.env.TIDINGS_TURN) return Number(process.env.TIDINGS_TURN);
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, stdio: 'pipe' })
      .toString()
      .trim();
    return Number.parseInt(commit.at(-1), 16) % 2;
  } catch {
    // Not a checkout of Git.
    return 0;
  }
}

/** A project whose suites know the deployment mode under test. */
const inMode = (mode, of) => ({ ...of, globals: { TIDINGS_MODE: mode, TIDINGS_TURN: turnOf() } });

const project = (displayName, testMatch, testPathIgnorePatterns = []) => ({
  displayName,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/tools'],
  testMatch,
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...testPathIgnorePatterns],
  modulePathIgnorePatterns: ['/dist/'],
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@tidings/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['@swc/jest', swcOptions({ rewriteRelativeImportExtensions: false })] },
});

export default {
  projects: [
    project('pure', ['**/*.spec.ts'], ['\\.(int|e2e)\\.spec\\.ts$']),
    project('int', ['**/*.int.spec.ts']),
    inMode(
      'embedded',
      project(
        'e2e',
        ['**/*.e2e.spec.ts'],
        ['/(crash|faults|observed)\\.e2e\\.spec\\.ts$', '\\.faults\\.e2e\\.spec\\.ts$'],
      ),
    ),
    // Two count what came twice: a provider that stalls beside other suites would look like a link that is lost. One starts sixteen
    // processes at once, which leave next to nothing of two cores to a suite beside it. Kills amid broadcasts are at full size with FAULTS=1.
    project('alone', ['**/{crash,faults,observed}.e2e.spec.ts', '**/*.faults.e2e.spec.ts']),
    // Once more, each service a process of its own: libs/testing/src/platform.ts.
    inMode('distributed', project('distributed', ['**/*.modes.e2e.spec.ts'])),
  ],
  // Which projects run beside each other, and how many suites at a time: tools/test.mjs.
  maxWorkers: 2,
  // Tests that run concurrently mostly wait.
  maxConcurrency: 10,
  testSequencer: '<rootDir>/tools/sequencer.mjs',
  // Jest knows no time-out per project; a hang is what this bounds, nothing is timed.
  testTimeout: 300_000,
  workerIdleMemoryLimit: '256MB',
  reporters: ['default', '<rootDir>/tools/tally-reporter.mjs'],
};

import { swcOptions } from './tools/swc.mjs';

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
    project(
      'e2e',
      ['**/*.e2e.spec.ts'],
      ['/(crash|faults|observed)\\.e2e\\.spec\\.ts$', '\\.faults\\.e2e\\.spec\\.ts$'],
    ),
    // Two count what came twice: a provider that stalls beside other suites would look like a link that is lost. One starts sixteen
    // processes at once, which leave next to nothing of two cores to a suite beside it. Kills amid broadcasts are at full size with FAULTS=1.
    project('alone', ['**/{crash,faults,observed}.e2e.spec.ts', '**/*.faults.e2e.spec.ts']),
    // Once more, each service a process of its own: libs/testing/src/platform.ts.
    { ...project('distributed', ['**/*.modes.e2e.spec.ts']), globals: { TIDINGS_MODE: 'distributed' } },
  ],
  // Which projects run beside each other, and how many suites at a time: tools/test.mjs.
  maxWorkers: 2,
  testSequencer: '<rootDir>/tools/sequencer.mjs',
  // Jest knows no time-out per project; a hang is what this bounds, nothing is timed.
  testTimeout: 300_000,
  workerIdleMemoryLimit: '256MB',
  reporters: ['default', '<rootDir>/tools/tally-reporter.mjs'],
};

import { globSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { isInTurn, modeInTurn, otherQuarters, quarters, turnOfRun } from './tools/turn.mjs';

const turn = turnOfRun();

// Workers, and the processes that suites start, reuse code that earlier ones compiled.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

// Suites start the platform side by side, each on free ports.
process.env.EVENTS_PORT ??= '0';

/** Suites that run in both modes each time; they share out those of their parts that either mode decides by the same code. */
const inBothModes = /\/(messages|platform)\.modes\.e2e\.spec\.ts$/;

/** The other suites of the whole system, which a run leaves out in this mode, by its turn. Whoever names suites gets them in both modes. */
function leftOut(mode) {
  if (turn === 'all') return [];
  return globSync('apps/*/src/**/*.modes.e2e.spec.ts', { cwd: import.meta.dirname })
    .toSorted()
    .filter((path) => !inBothModes.test(path))
    .filter((_path, i) => modeInTurn(turn, i) !== mode)
    .map((path) => `/${path}$`);
}

/** Suites of the other quarters, in the form that Jest expects. */
const ofOthers = otherQuarters(turn).map((path) => `/${path}$`);
const inQuarters = new Set(quarters.flat());
/** Every second one of the other suites with a store. */
const otherHalf = globSync(['libs/*/src/**/*.int.spec.ts', 'apps/*/src/**/*.int.spec.ts', 'tools/*.int.spec.ts'], {
  cwd: import.meta.dirname,
})
  .toSorted()
  .filter((path) => !inQuarters.has(path) && !path.startsWith('libs/streaming/src/kafka/'))
  .filter((_path, i) => !isInTurn(turn, i))
  .map((path) => `/${path}$`);
/** Ignores the suites of the Kafka client in other turns: they have the newest release in even ones (0), the oldest one in odd ones (1). */
const kafkaClientUnless = (parity) => (turn === 'all' || turn % 2 === parity ? [] : ['/libs/streaming/src/kafka/']);

/** A project whose suites know the deployment mode under test. */
const inMode = (mode, { testPathIgnorePatterns, ...of }) => ({
  ...of,
  testPathIgnorePatterns: [...testPathIgnorePatterns, ...leftOut(mode)],
  globals: { TIDINGS_MODE: mode, TIDINGS_TURN: turn },
});

/** Suites of the project `alone`. */
const alone = '/(crash|observed|(.*\\.)?faults)\\.e2e\\.spec\\.ts$';

const project = (displayName, testMatch, testPathIgnorePatterns = []) => ({
  displayName,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/tools'],
  testMatch,
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...testPathIgnorePatterns],
  modulePathIgnorePatterns: ['/dist/'],
  testEnvironment: '<rootDir>/tools/jest/environment.mjs',
  testRunner: '<rootDir>/tools/jest/runner.mjs',
  // Node loads what suites import.
  transform: {},
});

export default {
  projects: [
    project('pure', ['**/*.spec.ts'], ['\\.(int|e2e)\\.spec\\.ts$']),
    project('int', ['**/*.int.spec.ts'], [...ofOthers, ...otherHalf, ...kafkaClientUnless(0)]),
    // The oldest supported release (libs/testing/src/kafka.ts), for suites that depend on the release: topics, groups and records on the wire, and
    // the return of a broker. The other suites of the client test decisions of its own on replies that these get from both releases.
    {
      ...project(
        'oldest-kafka',
        ['<rootDir>/libs/streaming/src/kafka/kafka-{broker,faults}.int.spec.ts'],
        [...ofOthers, ...kafkaClientUnless(1)],
      ),
      globals: { TIDINGS_KAFKA_VERSION: '3.9.1' },
    },
    project('e2e', ['**/*.e2e.spec.ts'], ['\\.modes\\.e2e\\.spec\\.ts$', alone, ...ofOthers]),
    // Two count what came twice: a provider that stalls beside other suites would look like a link that is lost. One starts sixteen
    // processes at once, which leave next to nothing of two cores to a suite beside it. Kills amid broadcasts are at full size with FAULTS=1.
    project('alone', ['**/{crash,faults,observed}.e2e.spec.ts', '**/*.faults.e2e.spec.ts'], ofOthers),
    // The whole system in one process, and with a process for each service: libs/testing/src/platform.ts.
    ...['embedded', 'distributed'].map((mode) => inMode(mode, project(mode, ['**/*.modes.e2e.spec.ts']))),
  ],
  // tools/test.mjs decides which projects run side by side, and with how many workers.
  maxWorkers: 2,
  // Tests that run concurrently mostly wait.
  maxConcurrency: 10,
  testSequencer: '<rootDir>/tools/sequencer.mjs',
  // Jest knows no time-out per project; a hang is what this bounds, nothing is timed.
  testTimeout: 300_000,
  // A worker keeps the modules of its suites; beyond this it leaks.
  workerIdleMemoryLimit: '1GB',
  // A worker that ends stores what it compiled and frees its memory. Jest kills one after half a second by default: too soon for a busy machine, and the
  // cache of compiled code would stay as it was.
  workerGracefulExitTimeout: 10_000,
  reporters: ['default', '<rootDir>/tools/tally-reporter.mjs'],
};

import { globSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { otherHalf, turnOfRun } from './tools/turn.mjs';

const turn = turnOfRun();

// Workers, and the processes that suites start, reuse code that earlier ones compiled.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

// Suites start the platform side by side, each on free ports.
process.env.EVENTS_PORT ??= '0';

/** Suites that run in both modes each time; they share out those of their parts that either mode decides by the same code. */
const inBothModes = /\/(messages|platform)\.modes\.e2e\.spec\.ts$/;

/**
 * The other suites of the whole system, which a run leaves out in this mode: each runs in one mode, and with another turn in the other one. Whoever
 * names suites gets them in both modes.
 */
function leftOut(mode) {
  if (turn === 'both') return [];
  const alternating = globSync('apps/*/src/**/*.modes.e2e.spec.ts', { cwd: import.meta.dirname })
    .toSorted()
    .filter((path) => !inBothModes.test(path));
  return alternating.filter((_path, i) => (i + turn) % 2 === (mode === 'embedded' ? 1 : 0)).map((path) => `/${path}$`);
}

/** Suites that end processes, stores or connections of one mode, over and over. A run has those of the one mode or of the other, by the turn. */
const faultsOf = {
  distributed: ['<rootDir>/apps/platform/src/e2e/(cluster|restore)\\.faults\\.e2e\\.spec\\.ts$'],
  embedded: ['<rootDir>/apps/platform/src/e2e/(crash|faults)\\.e2e\\.spec\\.ts$', '\\bkills\\.e2e\\.spec\\.ts$'],
};
const faultsOfOthers = turn === 'both' ? [] : faultsOf[turn < 2 ? 'embedded' : 'distributed'];

/** Suites of the other half, in the form that Jest expects. */
const ofOtherHalf = otherHalf(turn).suites.map((path) => `/${path}$`);
/** The suites of a release of Kafka that this run leaves out. */
const kafkaOfOtherHalf = (release) => (otherHalf(turn).kafka === release ? ['/libs/streaming/src/kafka/'] : []);

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
    project('int', ['**/*.int.spec.ts'], [...ofOtherHalf, ...kafkaOfOtherHalf('newest')]),
    // The oldest supported release: libs/testing/src/kafka.ts.
    {
      ...project('oldest-kafka', ['<rootDir>/libs/streaming/src/kafka/**/*.int.spec.ts'], kafkaOfOtherHalf('oldest')),
      globals: { TIDINGS_KAFKA_VERSION: '3.9.1' },
    },
    project('e2e', ['**/*.e2e.spec.ts'], ['\\.modes\\.e2e\\.spec\\.ts$', alone, ...faultsOfOthers, ...ofOtherHalf]),
    // Two count what came twice: a provider that stalls beside other suites would look like a link that is lost. One starts sixteen
    // processes at once, which leave next to nothing of two cores to a suite beside it. Kills amid broadcasts are at full size with FAULTS=1.
    project('alone', ['**/{crash,faults,observed}.e2e.spec.ts', '**/*.faults.e2e.spec.ts'], faultsOfOthers),
    // The whole system in one process, and with a process for each service: libs/testing/src/platform.ts.
    ...['embedded', 'distributed'].map((mode) => inMode(mode, project(mode, ['**/*.modes.e2e.spec.ts']))),
  ],
  // Which projects run beside each other, and how many suites at a time: tools/test.mjs.
  maxWorkers: 2,
  // Tests that run concurrently mostly wait.
  maxConcurrency: 10,
  testSequencer: '<rootDir>/tools/sequencer.mjs',
  // Jest knows no time-out per project; a hang is what this bounds, nothing is timed.
  testTimeout: 300_000,
  // A worker keeps the modules of its suites; beyond this it leaks.
  workerIdleMemoryLimit: '1GB',
  reporters: ['default', '<rootDir>/tools/tally-reporter.mjs'],
};

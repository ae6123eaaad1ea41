import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Workers, and the processes that suites start, reuse code that earlier ones compiled.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

// Suites start the platform side by side, each on free ports.
process.env.EVENTS_PORT ??= '0';

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

/** They lose nodes of a store, and a new leader is elected in time only if it gets some: one suite at a time. */
const withoutNodes = '{event-store/src/mongo/replica-set,streaming/src/kafka/kafka-cluster}.int.spec.ts';

export default {
  projects: [
    project('pure', ['**/*.spec.ts'], ['\\.(int|e2e)\\.spec\\.ts$']),
    project('int', ['**/*.int.spec.ts'], ['/(replica-set|kafka-cluster)\\.int\\.spec\\.ts$']),
    // The oldest supported release (libs/testing/src/kafka.ts), for suites that depend on the release: topics, groups and records on the wire, and
    // the return of a broker. The other suites of the client test decisions of its own on replies that these get from both releases.
    {
      ...project('oldest-kafka', ['<rootDir>/libs/streaming/src/kafka/kafka-{broker,faults}.int.spec.ts']),
      globals: { TIDINGS_KAFKA_VERSION: '3.9.1' },
    },
    project(
      'e2e',
      ['**/*.e2e.spec.ts'],
      ['\\.modes\\.e2e\\.spec\\.ts$', '/(crash|observed|(.*\\.)?faults)\\.e2e\\.spec\\.ts$'],
    ),
    // Two count what came twice: a provider that stalls beside other suites would look like a link that is lost.
    project('alone', ['**/{crash,faults,observed}.e2e.spec.ts', `<rootDir>/libs/${withoutNodes}`]),
    // Faults of the distributed mode. One starts sixteen processes at once, which leave next to nothing of two cores to a suite beside it. Kills amid
    // broadcasts are at full size with FAULTS=1.
    project('clusters', ['**/*.faults.e2e.spec.ts']),
    // The whole system in one process, and with a process for each service: libs/testing/src/platform.ts.
    ...['embedded', 'distributed'].map((mode) => ({
      ...project(mode, ['**/*.modes.e2e.spec.ts']),
      globals: { TIDINGS_MODE: mode },
    })),
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

import { statSync } from 'node:fs';

/**
 * Suites in both modes that start a system of their own. The system that the other suites share is not yet there then: without any work, its
 * processes and stores would take two fifths of a core.
 */
const withOwnSystem =
  /\/(deletions|operator-settings|processes|requests|retention|upgrade|webhooks)\.modes\.e2e\.spec\.ts$/;

/** Kinds of suites, the ones that may take a minute first: short ones fill the remaining time of the workers. */
const kinds = [withOwnSystem, /\.e2e\.spec\.ts$/, /\.int\.spec\.ts$/, /(?:)/];

const rankOf = (path) => kinds.findIndex((kind) => kind.test(path));

/** The order of suites for Jest: by kind, then the largest files first. No run depends on an earlier one. */
export default class KindSequencer {
  sort(tests) {
    const ranked = tests.map((test) => ({ test, rank: rankOf(test.path), size: statSync(test.path).size }));
    return ranked.toSorted((a, b) => a.rank - b.rank || b.size - a.size).map(({ test }) => test);
  }

  /** Tests for `--onlyFailures`, which needs the results of earlier runs. */
  allFailedTests() {
    return [];
  }

  cacheResults() {
    // No run depends on an earlier one.
  }
}

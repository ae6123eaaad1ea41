import { statSync } from 'node:fs';

/** First, while the system that suites share is not there: idle, it takes two fifths of a core. */
const withOwnSystem =
  /\/(deletions|operator-settings|processes|requests|retention|upgrade|webhooks)\.modes\.e2e\.spec\.ts$/;

/** Suites of a minute first: short ones fill the remaining time of the workers. */
const kinds = [withOwnSystem, /\.e2e\.spec\.ts$/, /\.int\.spec\.ts$/, /(?:)/];

const rankOf = (path) => kinds.findIndex((kind) => kind.test(path));

/** By kind, then the largest files first. */
export default class KindSequencer {
  sort(tests) {
    const ranked = tests.map((test) => ({ test, rank: rankOf(test.path), size: statSync(test.path).size }));
    return ranked.toSorted((a, b) => a.rank - b.rank || b.size - a.size).map(({ test }) => test);
  }

  /** `--onlyFailures` needs the results of earlier runs. */
  allFailedTests() {
    return [];
  }

  cacheResults() {
    // No run depends on an earlier one.
  }
}

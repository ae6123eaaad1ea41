import { execFileSync } from 'node:child_process';
import { root } from './packages.mjs';

/**
 * The turn of a commit, 0 to 3: which suites a run has in which mode, and which half of their cases, in which mode faults are injected, and which of
 * the {@link halves} it has. It is that of the commit, so that a run can be repeated, and all of them are seen in both modes within a few commits.
 */
export function turnOfCommit() {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, stdio: 'pipe' }).toString().trim();
    return Number.parseInt(commit.at(-1), 16) % 4;
  } catch {
    // Not a checkout of Git.
    return 0;
  }
}

/** The turn that `TIDINGS_TURN` sets: 0 to 3, or `both` for all suites in both modes. @default 'both' */
export function turnOfRun() {
  const given = process.env.TIDINGS_TURN ?? 'both';
  if (given !== 'both' && !/^[0-3]$/.test(given)) throw new Error(`TIDINGS_TURN is ${given}, and not 0 to 3 or both`);
  return given === 'both' ? given : Number(given);
}

/**
 * Suites that start many programs and that few changes concern, in two halves of about the same time: a run has one of them, and with the next turn
 * the other one. The suites of the Kafka client are in both, each time with another release.
 */
export const halves = [
  {
    kafka: 'newest',
    suites: [
      'apps/platform/src/chart-processes.int.spec.ts',
      'apps/platform/src/open-files.e2e.spec.ts',
      'apps/platform/src/wrong-start.e2e.spec.ts',
      'libs/local-servers/src/local-kafka.int.spec.ts',
      'tools/test.int.spec.ts',
    ],
  },
  {
    kafka: 'oldest',
    suites: [
      'apps/cli/src/data/transfer.e2e.spec.ts',
      'apps/dispatcher/src/toy-channel.e2e.spec.ts',
      'apps/platform/src/e2e/generated-client.e2e.spec.ts',
      'apps/platform/src/other-user.e2e.spec.ts',
      'libs/local-servers/src/mongod.int.spec.ts',
    ],
  },
];

/** The half that a run with this turn leaves out; none if it has both. */
export const otherHalf = (turn) => (turn === 'both' ? { kafka: undefined, suites: [] } : halves[(turn + 1) % 2]);

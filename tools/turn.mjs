import { execFileSync } from 'node:child_process';
import { root } from './packages.mjs';

/** 0 to 7, the last digit of the commit's name: a run can be repeated. */
export function turnOfCommit() {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, stdio: 'pipe' }).toString().trim();
    return Number.parseInt(commit.at(-1), 16) % 8;
  } catch {
    // Not a checkout of Git.
    return 0;
  }
}

/** From `TIDINGS_TURN`. @default 'all' */
export function turnOfRun() {
  const given = process.env.TIDINGS_TURN ?? 'all';
  if (given !== 'all' && !/^[0-7]$/.test(given)) throw new Error(`TIDINGS_TURN is ${given}, and not 0 to 7 or all`);
  return given === 'all' ? given : Number(given);
}

/** Suites that start or end many programs, in four parts of equal time: a run has one. */
export const quarters = [
  [
    'apps/dispatcher/src/toy-channel.e2e.spec.ts',
    'apps/platform/src/e2e/cluster.faults.e2e.spec.ts',
    'apps/platform/src/other-user.e2e.spec.ts',
    'libs/event-store/src/mongo/replica-set.int.spec.ts',
    'libs/local-servers/src/mongod.int.spec.ts',
  ],
  [
    'apps/platform/src/e2e/crash.e2e.spec.ts',
    'apps/platform/src/e2e/deletions-kills.e2e.spec.ts',
    'apps/platform/src/e2e/jobs-kills.e2e.spec.ts',
    'apps/platform/src/e2e/kafka-nodes.faults.e2e.spec.ts',
    'apps/platform/src/e2e/staggered-kills.e2e.spec.ts',
    'apps/platform/src/e2e/webhooks-kills.e2e.spec.ts',
    'apps/platform/src/kills.e2e.spec.ts',
    'apps/platform/src/wrong-start.e2e.spec.ts',
  ],
  [
    'apps/platform/src/chart-processes.int.spec.ts',
    'apps/platform/src/e2e/observed.e2e.spec.ts',
    'apps/platform/src/e2e/restore.faults.e2e.spec.ts',
    'apps/platform/src/open-files.e2e.spec.ts',
    'libs/streaming/src/kafka/kafka-cluster.int.spec.ts',
    'tools/test.int.spec.ts',
  ],
  [
    'apps/cli/src/data/transfer.e2e.spec.ts',
    'apps/platform/src/e2e/faults.e2e.spec.ts',
    'apps/platform/src/e2e/generated-client.e2e.spec.ts',
    'apps/platform/src/e2e/mongo-members.faults.e2e.spec.ts',
    'apps/platform/src/service-processes.int.spec.ts',
    'libs/local-servers/src/local-kafka.int.spec.ts',
  ],
];

export const otherQuarters = (turn) => (turn === 'all' ? [] : quarters.filter((_quarter, i) => i !== turn % 4).flat());

/** Every second suite with a store, and four turns later the rest. */
export const isInTurn = (turn, i) => turn === 'all' || (i + (turn >> 2)) % 2 === 0;

/** Within four turns each suite has one in each mode; the next four have the other halves of shared cases (`libs/testing/src/platform.ts`). */
export function modeInTurn(turn, i) {
  if ((i + (turn >> 1)) % 2 === 1) return undefined;
  return ((i >> 1) + turn) % 2 === 0 ? 'embedded' : 'distributed';
}

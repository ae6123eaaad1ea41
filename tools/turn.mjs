import { execFileSync } from 'node:child_process';
import { root } from './packages.mjs';

/**
 * The turn of a commit, 0 to 3: which suites a run has in which mode, and which half of their cases, and in which
 * mode faults are injected. It is that of the commit, so that a run can be repeated, and all of them are seen in both modes within a few commits.
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

/** A number of 0 to 3, or both halves and modes. */
type Turn = number | 'both';

interface Half {
  readonly kafka: 'newest' | 'oldest' | undefined;
  readonly suites: readonly string[];
}

export const halves: readonly Half[];
export function otherHalf(turn: Turn): Half;
export function turnOfCommit(): number;
export function turnOfRun(): Turn;

/** 0 to 7; `all` = all suites in both modes. */
type Turn = number | 'all';

export const quarters: readonly (readonly string[])[];
export function isInTurn(turn: Turn, i: number): boolean;
export function modeInTurn(turn: number, i: number): 'embedded' | 'distributed' | undefined;
export function otherQuarters(turn: Turn): readonly string[];
export function turnOfCommit(): number;
export function turnOfRun(): Turn;

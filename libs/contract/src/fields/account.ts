import { textOf } from '../values.ts';

/** An account, where an operator names one; no account has a longer name. */
export const account = textOf(1, 64);

import { identityOf } from '../values.ts';

/** An account in an operator's request; no account has a longer name. */
export const account = identityOf(1, 64).describe('Identifies the account; the default one if left out.');

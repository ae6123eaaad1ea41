import { identityOf } from '../values.ts';

export const account = identityOf(1, 64).describe('Identifies the account; the default one if left out.');

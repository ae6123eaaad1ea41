import { describe } from '@jest/globals';

/** Skips the suite without the requirement; with `CI` set, it runs and fails. */
export const describeWhere = (isAvailable: boolean) => (isAvailable || process.env['CI'] ? describe : describe.skip);

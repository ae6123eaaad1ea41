import { describe } from '@jest/globals';

/** `describe` for suites that need what not every machine has. Where it is missing they are skipped, which the tally shows; with `CI` set they run, and fail. */
export const describeWhere = (isThere: boolean) => (isThere || process.env['CI'] ? describe : describe.skip);

import { describe } from '@jest/globals';

/**
 * `describe` for suites with a requirement that not every machine meets. If it is unmet, the suite is skipped, which the tally shows; with `CI` set,
 * it runs and fails.
 */
export const describeWhere = (isThere: boolean) => (isThere || process.env['CI'] ? describe : describe.skip);

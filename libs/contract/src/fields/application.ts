import { identity } from '../values.ts';

/** Stored in upper case; a malformed code counts as unknown (R-RES1). */
export const applicationCode = identity
  .transform((code) => code.toUpperCase())
  .describe('Code of the application: two groups of five characters, case-insensitive.');

export const namedApplication = applicationCode.describe('Code of the application.');

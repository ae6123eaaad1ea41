import { identity } from '../values.ts';

/** An application code, in upper case as stored; a malformed code counts as unknown (R-RES1). */
export const applicationCode = identity
  .transform((code) => code.toUpperCase())
  .describe('Code of the application: two groups of five characters, case-insensitive.');

/** {@link applicationCode} in the path of an operator's request. */
export const namedApplication = applicationCode.describe('Code of the application.');

import { identity } from '../values.ts';

/** The code of a preset, in upper case as stored (R-RES1). */
export const presetCode = identity.transform((code) => code.toUpperCase()).describe('Code of the preset.');

/** {@link presetCode} of a required preset; "" counts as none (R-ER2, R-K4). */
export const namedPreset = identity
  .refine((code) => code !== '', 'not found')
  .transform((code) => code.toUpperCase())
  .describe('Code of a preset that supplies the fields left out.');

import { identity } from '../values.ts';

export const presetCode = identity.transform((code) => code.toUpperCase()).describe('Code of the preset.');

/** "" counts as none (R-ER2, R-K4). */
export const namedPreset = identity
  .refine((code) => code !== '', 'not found')
  .transform((code) => code.toUpperCase())
  .describe('Code of a preset that supplies the fields left out.');

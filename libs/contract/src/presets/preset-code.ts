import { text } from '../values.ts';

/** The code of a preset, in upper case as stored (R-RES1). */
export const presetCode = text.transform((code) => code.toUpperCase());

/** {@link presetCode} of a required preset; "" counts as none (R-ER2, R-K4). */
export const namedPreset = text.refine((code) => code !== '', 'not found').transform((code) => code.toUpperCase());

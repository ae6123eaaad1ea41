import { text } from '../values.ts';

/** The code of a preset, in the upper case that codes are stored in (R-RES1). */
export const presetCode = text.transform((code) => code.toUpperCase());

/** {@link presetCode} of a preset that must be there: "" is none (R-ER2, R-K4). */
export const namedPreset = text.refine((code) => code !== '', 'not found').transform((code) => code.toUpperCase());

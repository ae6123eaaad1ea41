import { createPreset } from './createPreset.ts';
import { deletePreset } from './deletePreset.ts';
import { getPreset } from './getPreset.ts';
import { listPresets } from './listPresets.ts';

/** The methods of presets. */
export const presetMethods = {
  createPreset,
  getPreset,
  listPresets,
  deletePreset,
} as const;

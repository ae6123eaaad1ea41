import { createPreset } from './createPreset.ts';
import { deletePreset } from './deletePreset.ts';
import { getPreset } from './getPreset.ts';
import { listPresets } from './listPresets.ts';

export const presetMethods = {
  createPreset,
  getPreset,
  listPresets,
  deletePreset,
} as const;

import type { presetMethods } from '@tidings/contract';
import type { Serves } from '../../context.ts';
import { createPreset } from './createPreset.ts';
import { deletePreset } from './deletePreset.ts';
import { getPreset } from './getPreset.ts';
import { listPresets } from './listPresets.ts';

export const presetHandlers = {
  createPreset,
  getPreset,
  listPresets,
  deletePreset,
} satisfies Serves<typeof presetMethods>;

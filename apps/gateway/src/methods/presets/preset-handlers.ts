export { createPreset } from './createPreset.ts';
export { deletePreset } from './deletePreset.ts';
export { getPreset } from './getPreset.ts';
export { listPresets } from './listPresets.ts';

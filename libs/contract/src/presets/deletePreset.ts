import { json13 } from '../families/json13.ts';
import { nothing, object } from '../values.ts';
import { presetCode } from './preset-code.ts';

export const deletePreset = json13('deletePreset', {
  description: 'Deletes a preset; messages made of it stay unchanged.',
  scope: 'api',
  input: object({ preset_code: presetCode }).transform(({ preset_code: code }) => ({ code })),
  output: nothing,
  examples: [{ request: { auth: 'token', preset_code: 'D1B2C-3D4E5' }, reply: undefined }],
});

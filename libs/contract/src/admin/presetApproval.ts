import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { presetCode } from '../presets/preset-code.ts';
import { boolean, object } from '../values.ts';

const output = z.object({ approved: z.boolean().describe('Whether e-mail may use the preset.') });

export const setPresetApproval = admin('setPresetApproval', {
  description: 'Approves a preset of any account for mail, or withdraws the approval; new presets are approved.',
  route: 'PUT presets/{code}/approval',
  input: object({ code: presetCode, approved: boolean.describe('Whether e-mail may use the preset.') }),
  output,
  examples: [{ request: { code: 'A1B2C-3D4E5', approved: false }, reply: { approved: false } }],
});

export const getPresetApproval = admin('getPresetApproval', {
  description: 'Returns whether a preset is approved for mail.',
  route: 'GET presets/{code}/approval',
  input: object({ code: presetCode }),
  output,
  examples: [{ request: { code: 'A1B2C-3D4E5' }, reply: { approved: true } }],
});

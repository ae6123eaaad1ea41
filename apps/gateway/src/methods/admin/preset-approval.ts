import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const setPresetApproval: Handler<typeof api.setPresetApproval, 'presets'> = (input, { presets }) =>
  presets.setApproval(input);

export const getPresetApproval: Handler<typeof api.getPresetApproval, 'presets'> = (input, { presets }) =>
  presets.findApproval(input);

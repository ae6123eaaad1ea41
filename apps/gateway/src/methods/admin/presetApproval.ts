import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const setPresetApproval: Handler<typeof api.setPresetApproval> = (input, { presets }) =>
  presets.setApproval(input);

export const getPresetApproval: Handler<typeof api.getPresetApproval> = (input, { presets }) =>
  presets.findApproval(input);

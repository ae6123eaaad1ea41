import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { findPreset } from './find-preset.ts';

export const deletePreset: Handler<typeof api.deletePreset, 'access' | 'accounts' | 'presets'> = async (
  { code },
  context,
  call,
) => {
  await findPreset(code, context, call);
  await context.presets.deletePreset({ account: call.account, code });
};

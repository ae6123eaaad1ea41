import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const listPresets: Handler<typeof api.listPresets> = async ({ application }, { presets }, { account }) => {
  const listed = await presets.listPresets({ account, application });
  return { presets: listed.presets.map(({ name, code }) => ({ name, code })) };
};

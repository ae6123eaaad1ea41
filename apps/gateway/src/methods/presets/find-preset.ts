import type { Preset } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { isWithinReach } from '../../auth/reach.ts';
import type { Call, Context } from '../../context.ts';

/** The preset of this code, where the caller may use its application (R-T7). */
export async function findPreset(code: string, context: Context, call: Call): Promise<Preset> {
  const { preset } = await context.presets.findPreset({ account: call.account, code });
  if (!preset || !(await isWithinReach(context, call, preset.application))) throw Fault.argument('Preset not found');
  return preset;
}

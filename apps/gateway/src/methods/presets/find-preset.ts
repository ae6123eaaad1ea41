import type { Preset } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { hasAccess, hasAccessToGroup } from '../../auth/application-access.ts';
import type { Call, Context } from '../../context.ts';

export async function findPreset(
  code: string,
  context: Pick<Context, 'access' | 'accounts' | 'presets'>,
  call: Call,
): Promise<Preset> {
  const { preset } = await context.presets.findPreset({ account: call.account, code });
  if (!preset || !(await hasAccessToPreset(preset, context, call))) throw Fault.argument('Preset not found');
  return preset;
}

const hasAccessToPreset = async (
  { application, group }: Preset,
  context: Pick<Context, 'access' | 'accounts'>,
  call: Call,
): Promise<boolean> => (group === '' ? hasAccess(context, call, application) : hasAccessToGroup(context, call, group));

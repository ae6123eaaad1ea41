import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { hasAccess } from '../../auth/application-access.ts';
import type { Handler } from '../../context.ts';
import { findPreset } from '../presets/find-preset.ts';

export const updateGeoZone: Handler<typeof api.updateGeoZone, 'access' | 'accounts' | 'geozones' | 'presets'> = async (
  { id: number, cooldown: cooldownSeconds, range: rangeMeters, status: active, ...given },
  context,
  call,
) => {
  const { account } = call;
  const id = BigInt(number);
  const { zone } = await context.geozones.find({ account, id });
  if (!zone || !(await hasAccess(context, call, zone.application))) throw Fault.argument('Geozone not found');
  if (given.preset) await findPreset(given.preset, context, call);
  await context.geozones.change({ ...given, account, id, cooldownSeconds, rangeMeters, active });
};

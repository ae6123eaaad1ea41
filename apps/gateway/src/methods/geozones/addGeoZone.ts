import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { findPreset } from '../presets/find-preset.ts';

export const addGeoZone: Handler<typeof api.addGeoZone, 'access' | 'accounts' | 'geozones' | 'presets'> = async (
  { application, geozones: added },
  context,
  call,
) => {
  const { account } = call;
  const presets = new Set(added.flatMap(({ preset }) => (preset === '' ? [] : [preset])));
  await Promise.all([...presets].map((code) => findPreset(code, context, call)));
  const zones = added.map(({ campaign, cooldown: cooldownSeconds, range: rangeMeters, ...given }) => ({
    zone: { ...given, id: 0n, application, cooldownSeconds, rangeMeters, campaignId: 0n, active: true },
    campaign,
  }));
  const { ids } = await context.geozones.add({ account, application, zones });
  return { GeoZones: ids.map(Number) };
};

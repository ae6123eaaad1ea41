import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const addGeoZone: Handler<typeof api.addGeoZone> = async (
  { application, geozones: added },
  { geozones },
  { account },
) => {
  const zones = added.map(({ campaign, cooldown: cooldownSeconds, range: rangeMeters, ...given }) => ({
    zone: { ...given, id: 0n, application, cooldownSeconds, rangeMeters, campaignId: 0n, active: true },
    campaign,
  }));
  const { ids } = await geozones.add({ account, application, zones });
  return { GeoZones: ids.map(Number) };
};

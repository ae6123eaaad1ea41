import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const addGeoZoneCluster: Handler<typeof api.addGeoZoneCluster, 'geozones'> = async (
  { application, name, cooldown: cooldownSeconds },
  { geozones },
  { account },
) => {
  const { code } = await geozones.addCluster({ account, application, name, cooldownSeconds });
  return { GeoZoneCluster: code };
};

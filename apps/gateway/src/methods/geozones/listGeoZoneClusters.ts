import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { clustersOf } from './clusters.ts';

export const listGeoZoneClusters: Handler<typeof api.listGeoZoneClusters, 'geozones'> = async (
  { application },
  { geozones },
  { account },
) => {
  const clusters = await clustersOf(geozones, { account, application });
  return {
    clusters: clusters.map(({ cluster: { code, name, cooldownSeconds: cooldown }, zones }) => ({
      code,
      cooldown,
      geozones: zones,
      name,
    })),
  };
};

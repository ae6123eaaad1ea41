import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const listGeoZoneClusters: Handler<typeof api.listGeoZoneClusters> = async (
  { application },
  { geozones },
  { account },
) => {
  const { clusters, zones } = await geozones.list({ account, application });
  const byCluster = Map.groupBy(zones, ({ cluster }) => cluster);
  return {
    clusters: clusters.map(({ code, name, cooldownSeconds: cooldown }) => ({
      ...{ code, cooldown, geozones: byCluster.get(code)?.length ?? 0, name },
    })),
  };
};

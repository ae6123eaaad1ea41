import type { api } from '@tidings/contract';
import type { GeozoneCluster } from '@tidings/events';
import type { Geozones } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { wholeList } from '../whole-list.ts';

interface CountedCluster {
  readonly cluster: GeozoneCluster;
  readonly zones: number;
}

export const clustersOf = (
  geozones: Pick<Geozones, 'listClusters'>,
  of: { readonly account: string; readonly application: string },
): Promise<CountedCluster[]> =>
  wholeList(
    async (after) => {
      const { clusters, next } = await geozones.listClusters({ ...of, after });
      return { entries: clusters.flatMap(({ cluster, zones }) => (cluster ? [{ cluster, zones }] : [])), next };
    },
    ({ cluster }) => cluster.name.length,
  );

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

export const addGeoZoneCluster: Handler<typeof api.addGeoZoneCluster, 'geozones'> = async (
  { application, name, cooldown: cooldownSeconds },
  { geozones },
  { account },
) => {
  const { code } = await geozones.addCluster({ account, application, name, cooldownSeconds });
  return { GeoZoneCluster: code };
};

export const deleteGeoZoneCluster: Handler<typeof api.deleteGeoZoneCluster, 'geozones'> = async (
  input,
  { geozones },
  { account },
) => {
  await geozones.deleteCluster({ account, ...input });
};

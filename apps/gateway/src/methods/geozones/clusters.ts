import type { GeozoneCluster } from '@tidings/events';
import type { Geozones } from '@tidings/rpc';
import { wholeList } from '../whole-list.ts';

/** A cluster and its number of zones. */
interface CountedCluster {
  readonly cluster: GeozoneCluster;
  readonly zones: number;
}

/** All clusters of an application, oldest first. */
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

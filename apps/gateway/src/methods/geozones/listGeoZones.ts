import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { shownZone } from './zone.ts';

export const listGeoZones: Handler<typeof api.listGeoZones> = async ({ application }, { geozones }, { account }) => {
  const { clusters, zones } = await geozones.list({ account, application });
  const known = new Set(clusters.map(({ code }) => code));
  const byCluster = Map.groupBy(zones, ({ cluster }) => (known.has(cluster) ? cluster : ''));
  const groups = clusters.map(({ code, name }) => ({ name, geoZones: (byCluster.get(code) ?? []).map(shownZone) }));
  const rest = byCluster.get('');
  return { clusters: rest ? [...groups, { name: 'Without cluster', geoZones: rest.map(shownZone) }] : groups };
};

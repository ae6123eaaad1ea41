import type { api } from '@tidings/contract';
import type { Geozone } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { wholeList } from '../whole-list.ts';
import { clustersOf } from './clusters.ts';
import { shownZone } from './zone.ts';

const lengthOf = ({ name, content, timetable }: Geozone): number =>
  name.length + content.length + (timetable?.given.length ?? 0);

export const listGeoZones: Handler<typeof api.listGeoZones, 'geozones'> = async (
  { application },
  { geozones },
  { account },
) => {
  const clusters = (await clustersOf(geozones, { account, application })).map(({ cluster }) => cluster);
  const zones = await wholeList(async (after) => {
    const { zones: entries, next } = await geozones.list({ account, application, after });
    return { entries, next };
  }, lengthOf);
  const existing = new Set(clusters.map(({ code }) => code));
  const byCluster = Map.groupBy(zones, ({ cluster }) => (existing.has(cluster) ? cluster : ''));
  const groups = clusters.map(({ code, name }) => ({ name, geoZones: (byCluster.get(code) ?? []).map(shownZone) }));
  const rest = byCluster.get('');
  return { clusters: rest ? [...groups, { name: 'Without cluster', geoZones: rest.map(shownZone) }] : groups };
};

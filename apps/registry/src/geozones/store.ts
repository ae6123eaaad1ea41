import { distanceMeters, type GeozoneClusterState, type GeozoneState, type Place } from '@tidings/audience';
import type { Geozone, GeozoneCluster } from '@tidings/events';
import type { Db, Document } from 'mongodb';
import { type AccountDocument, CLUSTERS, GEOZONES, stateOf } from '../accounts/log.ts';

/** A zone, and how far its centre is. */
export interface Nearby {
  readonly zone: Geozone;
  readonly meters: number;
}

/** Queries over geozones and clusters that are there, as the accounts' logs have folded them. */
export interface GeozoneStore {
  readonly zone: (account: string, id: bigint) => Promise<Geozone | undefined>;
  /** Oldest first. */
  readonly zones: (account: string, application: string) => Promise<Geozone[]>;
  readonly clusters: (account: string, application: string) => Promise<GeozoneCluster[]>;
  readonly cluster: (account: string, code: string) => Promise<GeozoneCluster | undefined>;
  /** Activated zones, nearest first; equally far ones by age. */
  readonly nearest: (application: string, place: Place, limit: number) => Promise<Nearby[]>;
  /** Activated zones that hold the place, nearest first. */
  readonly around: (application: string, place: Place) => Promise<Nearby[]>;
}

/** No zone is wider (Spec, Limits). */
const WIDEST_METERS = 1000;
/** The database measures on a sphere that is 0.1 % larger. */
const SLACK = 1.01;

const zoneIn = (document: Document): Geozone => (stateOf(document) as GeozoneState).zone;
const clusterIn = (document: Document): GeozoneCluster => (stateOf(document) as GeozoneClusterState).cluster;
const byDistance = (a: Nearby, b: Nearby): number => a.meters - b.meters || Number(a.zone.id - b.zone.id);

export function openGeozoneStore(db: Db): GeozoneStore {
  const zones = db.collection<AccountDocument>(GEOZONES);
  const clusters = db.collection<AccountDocument>(CLUSTERS);
  const deleted = false;

  const near = async (application: string, place: Place, within: object, limit: number): Promise<Nearby[]> => {
    const $geometry = { type: 'Point', coordinates: [place.lng, place.lat] };
    const found = await zones
      .find({ application, place: { $nearSphere: { $geometry, ...within } } })
      .limit(limit)
      .toArray();
    const measured = found.map(zoneIn).map((zone) => ({ zone, meters: distanceMeters(place, zone) }));
    return measured.sort(byDistance);
  };

  return {
    async zone(account, id) {
      const found = await zones.findOne({ _id: String(id), account, deleted });
      return found ? zoneIn(found) : undefined;
    },
    async zones(account, application) {
      const found = await zones.find({ application, account, deleted }).sort({ number: 1 }).toArray();
      return found.map(zoneIn);
    },
    async clusters(account, application) {
      const found = await clusters.find({ application, account, deleted }).sort({ rev: 1, _id: 1 }).toArray();
      return found.map(clusterIn);
    },
    async cluster(account, code) {
      const found = await clusters.findOne({ _id: code, account, deleted });
      return found ? clusterIn(found) : undefined;
    },
    nearest: (application, place, limit) => near(application, place, {}, limit),
    async around(application, place) {
      const candidates = await near(application, place, { $maxDistance: WIDEST_METERS * SLACK }, 0);
      return candidates.filter(({ zone, meters }) => meters <= zone.rangeMeters);
    },
  };
}

/** Makes the indexes of geozones where they are missing. */
export async function prepareGeozones(db: Db): Promise<void> {
  await db.collection(GEOZONES).createIndexes([
    { name: 'application_number', key: { application: 1, number: 1 } },
    { name: 'application_place', key: { application: 1, place: '2dsphere' } },
  ]);
  await db.collection(CLUSTERS).createIndexes([{ name: 'application', key: { application: 1 } }]);
}

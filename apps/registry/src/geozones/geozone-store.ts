import { distanceMeters, type GeozoneClusterState, type GeozoneState, type Place } from '@tidings/audience';
import type { Geozone, GeozoneCluster } from '@tidings/events';
import { modelOf, bytesOf, behind, type Page, readPage, sortOf } from '@tidings/mongo';
import type { Binary, Db, Document } from 'mongodb';
import { type AccountDocument, stateOf } from '../accounts/account-documents.ts';
import { CLUSTER_INDEX, clustersModel, geozonesModel } from '../accounts/storage/accounts.schema.ts';

export interface Nearby {
  readonly zone: Geozone;
  readonly meters: number;
}

export interface GeozoneStore {
  readonly zone: (account: string, id: bigint) => Promise<Geozone | undefined>;
  readonly zones: (account: string, application: string, after: string) => Promise<Page<Geozone>>;
  readonly clusters: (account: string, application: string, after: string) => Promise<Page<GeozoneCluster>>;
  readonly zonesIn: (application: string, clusters: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  readonly cluster: (account: string, code: string) => Promise<GeozoneCluster | undefined>;
  readonly nearest: (application: string, place: Place, limit: number) => Promise<Nearby[]>;
  /** A cluster changes only by its deletion, so `rev` orders by age. */
  readonly around: (application: string, place: Place) => Promise<Nearby[]>;
}

const byNumber = { field: 'number' };
const byAge = { field: 'rev' };

/** The database measures on a sphere that is 0.1 % larger. */
const WIDEST_METERS = 1000;
const SLACK = 1.01;

const zoneIn = (document: Document): Geozone => (stateOf(document) as GeozoneState).zone;
const clusterIn = (document: Document): GeozoneCluster => (stateOf(document) as GeozoneClusterState).cluster;
const byDistance = (a: Nearby, b: Nearby): number => a.meters - b.meters || Number(a.zone.id - b.zone.id);

export function openGeozoneStore(db: Db): GeozoneStore {
  const zones = modelOf(db, geozonesModel);
  const clusters = modelOf(db, clustersModel);
  const deleted = false;

  const near = async (application: string, place: Place, within: object, limit: number): Promise<Nearby[]> => {
    const $geometry = { type: 'Point', coordinates: [place.lng, place.lat] };
    const found = await zones
      .find({ application, place: { $nearSphere: { $geometry, ...within } } })
      .limit(limit)
      .lean<Document[]>();
    const measured = found.map(zoneIn).map((zone) => ({ zone, meters: distanceMeters(place, zone) }));
    return measured.sort(byDistance);
  };

  return {
    async zone(account, id) {
      const found = await zones.findOne({ _id: String(id), account, deleted }).lean<Document | null>();
      return found ? zoneIn(found) : undefined;
    },
    async zones(account, application, after) {
      const found = zones.find({ application, account, deleted, ...behind(byNumber, after) }).sort(sortOf(byNumber));
      const { entries, next } = await readPage<AccountDocument>(
        found,
        byNumber,
        ({ zone }) => bytesOf(zone as Binary).length,
      );
      return { entries: entries.map(zoneIn), next };
    },
    async clusters(account, application, after) {
      const found = clusters.find({ application, account, deleted, ...behind(byAge, after) }).sort(sortOf(byAge));
      const { entries, next } = await readPage<AccountDocument>(found, byAge, (document) =>
        Buffer.byteLength(clusterIn(document).name),
      );
      return { entries: entries.map(clusterIn), next };
    },
    async zonesIn(application, codes) {
      const query = { application, deleted, cluster: { $in: [...codes] } };
      const counted = await zones.aggregate<{ _id: string; zones: number }>(
        [{ $match: query }, { $group: { _id: '$cluster', zones: { $sum: 1 } } }],
        { hint: CLUSTER_INDEX },
      );
      return new Map(counted.map(({ _id, zones: count }) => [_id, count]));
    },
    async cluster(account, code) {
      const found = await clusters.findOne({ _id: code, account, deleted }).lean<Document | null>();
      return found ? clusterIn(found) : undefined;
    },
    nearest: (application, place, limit) => near(application, place, {}, limit),
    async around(application, place) {
      const candidates = await near(application, place, { $maxDistance: WIDEST_METERS * SLACK }, 0);
      return candidates.filter(({ zone, meters }) => meters <= zone.rangeMeters);
    },
  };
}

import type { GeozonePatch } from '@tidings/audience';
import type { Geozone } from '@tidings/events';
import { type Clock, Fault, newCode } from '@tidings/kernel';
import type { ChangeGeozoneRequest, Geozones } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { AccountWriter } from '../accounts/account-writer.ts';
import type { PresetStore } from '../presets/preset-store.ts';
import { reserveNumbers } from '../devices/storage/sequences.ts';
import type { GeozoneStore } from './geozone-store.ts';

/** The attribute of events is an int32 (R-EV3). */
const ZONES = 'geozones';

export interface GeozonesDeps {
  readonly clock: Clock;
  readonly db: Db;
  readonly presets: PresetStore;
  readonly groupsOf: (application: string) => Promise<string[]>;
}

/** A preset without a text clears the zone's own text (R-F1). */
function patchOf({ account: _, id: __, alwaysOpen, timetable, content, preset, ...rest }: ChangeGeozoneRequest) {
  const contentFields = { preset, content: content ?? (preset ? '' : undefined) };
  const given = Object.entries({ ...rest, ...contentFields, timetable }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...(alwaysOpen ? { timetable: undefined } : {}) } as GeozonePatch;
}

export function geozonesRpc(
  store: GeozoneStore,
  write: AccountWriter,
  { clock, db, presets, groupsOf }: GeozonesDeps,
): Omit<Geozones, 'report'> {
  const now = (): Date => new Date(clock.now());

  const withLiveCampaigns = async (application: string, zones: readonly Geozone[]): Promise<Geozone[]> => {
    const ids = zones.map(({ campaignId }) => campaignId);
    const live = await presets.liveCampaigns(application, ids);
    return zones.map((zone) => (live.has(zone.campaignId) ? zone : { ...zone, campaignId: 0n }));
  };

  return {
    async add({ account, application, zones }) {
      const before = await reserveNumbers(db, ZONES, zones.length);
      const drafts = zones.map(({ zone, campaign }, index) => {
        if (!zone) throw Fault.bug('no zone to add');
        return { zone: { ...zone, id: BigInt(before + index + 1) }, campaign };
      });
      const groups = await groupsOf(application);
      await write({ account, action: { type: 'addGeozones', application, groups, drafts }, at: now() });
      return { ids: drafts.map(({ zone }) => zone.id) };
    },

    async find({ account, id }) {
      return { zone: await store.zone(account, id) };
    },

    async change(request) {
      const { account, id } = request;
      const zone = await store.zone(account, id);
      if (!zone) throw Fault.argument('Geozone not found');
      const { application } = zone;
      const groups = await groupsOf(application);
      const action = { type: 'changeGeozone', id, application, groups, patch: patchOf(request) } as const;
      await write({ account, action, at: now() });
      return {};
    },

    async delete({ account, application, ids }) {
      await write({ account, action: { type: 'deleteGeozones', application, ids }, at: now() });
      return {};
    },

    async list({ account, application, after }) {
      const { entries, next } = await store.zones(account, application, after);
      return { zones: await withLiveCampaigns(application, entries), next };
    },

    async listClusters({ account, application, after }) {
      const { entries, next } = await store.clusters(account, application, after);
      const codes = entries.map(({ code }) => code);
      const zones = await store.zonesIn(application, codes);
      return { clusters: entries.map((cluster) => ({ cluster, zones: zones.get(cluster.code) ?? 0 })), next };
    },

    async addCluster({ account, application, name, cooldownSeconds }) {
      const code = newCode();
      const cluster = { code, application, name, cooldownSeconds };
      await write({ account, action: { type: 'addGeozoneCluster', cluster }, at: now() });
      return { code };
    },

    async deleteCluster({ account, application, code }) {
      await write({ account, action: { type: 'deleteGeozoneCluster', application, code }, at: now() });
      return {};
    },
  };
}

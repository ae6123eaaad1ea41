import { DENIED, deviceIdOf, isOpen, isSend, keyedId, hwidHashOf, type Place } from '@tidings/audience';
import type { LogWriter } from '@tidings/event-store';
import type { Geozone, Preset } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { type DeviceDocument, DEVICES } from '@tidings/registry-store';
import type { Geozones } from '@tidings/rpc';
import type { UpdateFilter } from 'mongodb';
import type { DevicesDeps } from '../devices/commands/apply.ts';
import { resolveContacts } from '../devices/queries/target-contacts.ts';
import type { PresetStore } from '../presets/preset-store.ts';
import { zoneMessage, zoneMessageCode } from './zone-message.ts';
import type { GeozoneStore, Nearby } from './geozone-store.ts';
import { type ExclusionDeps, isExcluded } from './visit-exclusion.ts';
import { type SendingZone, type Visit, visitLogOf } from './visit-log.ts';
import { KEYS } from '../devices/storage/key-collection.ts';

export interface ReportDeps extends Pick<DevicesDeps, 'db' | 'clock' | 'keys' | 'owners'>, ExclusionDeps {
  readonly geozones: GeozoneStore;
  readonly presets: PresetStore;
  readonly visits: LogWriter<Visit, void>;
}

const projection = { hwidHash: 1, user: 1, seq: 1, platform: 1, th: 1, cg: 1 } as const;

interface Report {
  readonly account: string;
  readonly application: string;
  readonly device: Pick<DeviceDocument, keyof typeof projection>;
  readonly place: Place;
  readonly at: Date;
  readonly key: string | undefined;
}

const shown = ({ zone, meters }: Nearby) => ({
  name: zone.name,
  lat: zone.lat,
  lng: zone.lng,
  rangeMeters: zone.rangeMeters,
  distanceMeters: Math.round(meters),
});

const sendingZones = ({ geozones, presets }: Pick<ReportDeps, 'geozones' | 'presets'>) => {
  const campaignIdOf = async (zone: Geozone, preset: Preset | undefined, account: string): Promise<bigint> => {
    const live = await presets.liveCampaigns(zone.application, [zone.campaignId]);
    if (live.has(zone.campaignId)) return zone.campaignId;
    const ofPreset = preset?.campaign ? await presets.campaign(account, preset.campaign) : undefined;
    return BigInt(ofPreset?.application === zone.application ? ofPreset.id : 0);
  };

  /** Undefined if it sends nothing, such as without its preset (R-K5). */
  const sendingZone = async (zone: Geozone, { account, device, at }: Report): Promise<SendingZone | undefined> => {
    const preset = zone.preset === '' ? undefined : (await presets.preset(account, zone.preset))?.preset;
    if (zone.preset !== '' && !preset) return undefined;
    const addressee = { platform: device.platform, hasToken: device.th !== undefined };
    if (!isSend(addressee, preset?.platforms ?? [])) return undefined;
    const cluster = zone.cluster === '' ? undefined : await geozones.cluster(account, zone.cluster);
    const campaignId = await campaignIdOf(zone, preset, account);
    return {
      zone,
      cluster,
      message: zoneMessageCode(zone, at),
      ...zoneMessage(zone, preset, { seq: device.seq, campaignId, at }),
    };
  };

  return async (report: Report): Promise<SendingZone[]> => {
    const { application, place, at } = report;
    const around = await geozones.around(application, place);
    const open = around.filter(({ zone }) => isOpen(zone.timetable, at));
    if (open.length === 0) return [];
    const found = await Promise.all(open.map(({ zone }) => sendingZone(zone, report)));
    return found.filter((zone) => zone !== undefined);
  };
};

/** A repeat with the same key changes nothing (R-ER11). */
export function reportRpc(deps: ReportDeps): Pick<Geozones, 'report'> {
  const { db, clock, keys, owners, geozones, visits } = deps;
  const devices = db.collection<DeviceDocument>(DEVICES);
  const usedKeys = db.collection<{ _id: string; until: Date }>(KEYS);
  const zonesEntered = sendingZones(deps);

  const isUsed = async (key: string | undefined, at: Date): Promise<boolean> =>
    key !== undefined && (await usedKeys.findOne({ _id: key, until: { $gt: at } })) !== null;

  const visit = async (
    zones: readonly SendingZone[],
    { account, application, device, at, key }: Omit<Report, 'place'>,
  ): Promise<void> => {
    if (zones.length === 0 && key === undefined) return;
    const { hwidHash, user = hwidHash } = device;
    const visitor = { hwidHash, user };
    const isVisitorExcluded = zones.length > 0 && (await isExcluded(deps, { application, device, visitor, zones, at }));
    const entered = { account, application, ...visitor, isExcluded: isVisitorExcluded, zones, at, key };
    await visits.submit(visitLogOf(application), entered);
  };
  const enter = async (report: Report): Promise<void> => visit(await zonesEntered(report), report);

  return {
    async report(request) {
      const { account, application, lat, lng, nearest, idempotencyKey } = request;
      await owners.learn([application]);
      if (!owners.owns(account, application)) throw Fault.argument(DENIED);
      const hwid = (await resolveContacts([request], { devices, keys })).get(request) ?? request.hwid;
      const hwidHash = hwidHashOf(keys.device, account, hwid);
      const place = lat === undefined || lng === undefined ? undefined : { lat, lng };
      const at = new Date(clock.now());
      const key = idempotencyKey === '' ? undefined : keyedId(keys.device, application, hwidHash, idempotencyKey);
      const isRepeat = await isUsed(key, at);
      const present = { _id: deviceIdOf(application, hwidHash), status: 1 } as const;
      // An update that outlived its call may arrive after a later report's.
      const notOlder = { ...present, 'self.place.at': { $not: { $gt: at.getTime() } } };
      const update: UpdateFilter<DeviceDocument> = place
        ? { $set: { 'self.place': { ...place, at: at.getTime() } } }
        : { $unset: { 'self.place': '' } };
      const updated = isRepeat ? null : await devices.findOneAndUpdate(notOlder, update, { projection });
      const device = updated ?? (await devices.findOne(present, { projection }));
      if (!device) throw Fault.argument('Device not found');
      const report = { account, application, device, at, key };
      if (!place) {
        if (!isRepeat) await visit([], report);
        return { nearest: [] };
      }
      const [near] = await Promise.all([
        geozones.nearest(application, place, nearest),
        isRepeat ? undefined : enter({ ...report, place }),
      ]);
      return { nearest: near.map(shown) };
    },
  };
}

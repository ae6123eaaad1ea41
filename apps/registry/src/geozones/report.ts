import { DENIED, deviceIdOf, isOpen, personOf, type Place } from '@tidings/audience';
import type { LogWriter } from '@tidings/event-store';
import type { Geozone } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { Geozones } from '@tidings/rpc';
import type { DevicesDeps } from '../devices/apply.ts';
import { type DeviceDocument, DEVICES } from '../devices/document.ts';
import type { PresetStore } from '../presets/store.ts';
import { zoneMessage, zoneMessageCode } from './draft.ts';
import type { GeozoneStore } from './store.ts';
import { type SendingZone, type Visit, visitLogOf } from './visits.ts';

export interface ReportDeps extends Pick<DevicesDeps, 'db' | 'clock' | 'keys' | 'owners'> {
  readonly geozones: GeozoneStore;
  readonly presets: PresetStore;
  readonly visits: LogWriter<Visit, void>;
}

/** A device where it says it is. */
interface Report {
  readonly account: string;
  readonly application: string;
  readonly device: Pick<DeviceDocument, 'person' | 'user' | 'seq'>;
  readonly place: Place;
  readonly at: Date;
}

/**
 * Where devices say they are: kept with the device, beside its log (architecture 4); the zones around it send what they have to (R-F4);
 * answered with the nearest zones (R-C13).
 */
export function reportRpc({
  db,
  clock,
  keys,
  owners,
  geozones,
  presets,
  visits,
}: ReportDeps): Pick<Geozones, 'report'> {
  const devices = db.collection<DeviceDocument>(DEVICES);

  /** The zone with what it sends; undefined where its preset is deleted (R-K5). */
  const sendingZone = async (zone: Geozone, { account, device, at }: Report): Promise<SendingZone | undefined> => {
    const preset = zone.preset === '' ? undefined : (await presets.preset(account, zone.preset))?.preset;
    if (zone.preset !== '' && !preset) return undefined;
    const cluster = zone.cluster === '' ? undefined : await geozones.cluster(account, zone.cluster);
    const ofPreset = preset?.campaign ? await presets.campaign(account, preset.campaign) : undefined;
    const campaignId = zone.campaignId || BigInt(ofPreset?.id ?? 0);
    return {
      zone,
      cluster,
      message: zoneMessageCode(zone, at),
      ...zoneMessage(zone, preset, { seq: device.seq, campaignId, at }),
    };
  };

  const enter = async (report: Report): Promise<void> => {
    const { account, application, device, place, at } = report;
    const around = await geozones.around(application, place);
    const open = around.filter(({ zone }) => isOpen(zone.timetable, at));
    const found = await Promise.all(open.map(({ zone }) => sendingZone(zone, report)));
    const zones = found.filter((zone) => zone !== undefined);
    if (zones.length === 0) return;
    const { person, user = person } = device;
    await visits.submit(visitLogOf(application), { account, application, person, user, zones, at });
  };

  return {
    async report({ account, application, hwid, lat, lng, nearest }) {
      await owners.learn([application]);
      if (!owners.owns(account, application)) throw Fault.argument(DENIED);
      const id = deviceIdOf(application, personOf(keys.device, account, hwid));
      const place = { lat, lng };
      const at = new Date(clock.now());
      const device = await devices.findOneAndUpdate(
        { _id: id, status: 1 },
        { $set: { 'self.place': { ...place, at: at.getTime() } } },
        { projection: { person: 1, user: 1, seq: 1 } },
      );
      if (!device) throw Fault.argument('Device not found');
      const [near] = await Promise.all([
        geozones.nearest(application, place, nearest),
        enter({ account, application, device, place, at }),
      ]);
      return {
        nearest: near.map(({ zone, meters }) => ({
          name: zone.name,
          lat: zone.lat,
          lng: zone.lng,
          rangeMeters: zone.rangeMeters,
          distanceMeters: Math.round(meters),
        })),
      };
    },
  };
}

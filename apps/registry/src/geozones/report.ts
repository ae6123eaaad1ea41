import { DENIED, deviceIdOf, personOf } from '@tidings/audience';
import { Fault } from '@tidings/kernel';
import type { Geozones } from '@tidings/rpc';
import type { DevicesDeps } from '../devices/apply.ts';
import { type DeviceDocument, DEVICES } from '../devices/document.ts';
import type { GeozoneStore } from './store.ts';

/** Where devices say they are: kept with the device, beside its log (architecture 4), and answered with the nearest zones (R-C13). */
export function reportRpc({ db, clock, keys, owners }: DevicesDeps, zones: GeozoneStore): Pick<Geozones, 'report'> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  return {
    async report({ account, application, hwid, lat, lng, nearest }) {
      await owners.learn([application]);
      if (!owners.owns(account, application)) throw Fault.argument(DENIED);
      const id = deviceIdOf(application, personOf(keys.device, account, hwid));
      const place = { lat, lng };
      const recorded = await devices.updateOne(
        { _id: id, status: 1 },
        { $set: { 'self.place': { ...place, at: clock.now() } } },
      );
      if (recorded.matchedCount === 0) throw Fault.argument('Device not found');
      const near = await zones.nearest(application, place, nearest);
      return {
        nearest: near.map(({ zone: { name, lat: zoneLat, lng: zoneLng, rangeMeters }, meters }) => ({
          name,
          lat: zoneLat,
          lng: zoneLng,
          rangeMeters,
          distanceMeters: Math.round(meters),
        })),
      };
    },
  };
}

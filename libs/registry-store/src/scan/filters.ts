import { latitudesAround } from '@tidings/audience';
import type { Circle } from '@tidings/events';
import type { Filter } from 'mongodb';
import type { DeviceDocument } from '../devices/device-document.ts';

/** Maximum age of the location of a device that a circle selects (R-I20). */
const PLACE_MS = 86_400_000;
/** Maximum seqs in one filter. */
const MAX_LISTED = 2000;

/** Devices with a recent location at the latitudes of a circle; the scan checks the distance. */
export function near(circle: Circle, now: Date): Record<string, unknown> {
  const [south, north] = latitudesAround(circle, circle.rangeMeters);
  return {
    'self.place.at': { $gte: now.getTime() - PLACE_MS },
    'self.place.lat': { $gte: south, $lte: north },
  };
}

/** The devices with these seqs, in as many filters as they need. */
export function listed(application: string, seqs: readonly number[]): readonly Filter<DeviceDocument>[] {
  const filters: Filter<DeviceDocument>[] = [];
  for (let i = 0; i < seqs.length; i += MAX_LISTED) {
    filters.push({ app: application, seq: { $in: seqs.slice(i, i + MAX_LISTED) } });
  }
  return filters;
}

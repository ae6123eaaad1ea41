import { latitudesAround } from '@tidings/audience';
import type { Circle } from '@tidings/events';
import type { Filter } from 'mongodb';
import type { DeviceDocument } from '../devices/device-document.ts';

const PLACE_MS = 86_400_000;
const MAX_LISTED = 2000;

export function near(circle: Circle, now: Date): Record<string, unknown> {
  const [south, north] = latitudesAround(circle, circle.rangeMeters);
  return {
    'self.place.at': { $gte: now.getTime() - PLACE_MS },
    'self.place.lat': { $gte: south, $lte: north },
  };
}

export function listed(application: string, seqs: readonly number[]): readonly Filter<DeviceDocument>[] {
  const filters: Filter<DeviceDocument>[] = [];
  for (let i = 0; i < seqs.length; i += MAX_LISTED) {
    filters.push({ app: application, seq: { $in: seqs.slice(i, i + MAX_LISTED) } });
  }
  return filters;
}

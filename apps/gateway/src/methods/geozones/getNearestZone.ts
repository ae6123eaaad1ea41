import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

const SHOWN_WITH_MORE = 20;

export const getNearestZone: Handler<typeof api.getNearestZone, 'geozones'> = async (
  { more, place, ...device },
  { geozones },
  { account, idempotencyKey },
) => {
  const limit = more ? SHOWN_WITH_MORE : 1;
  const { nearest } = await geozones.report({
    account,
    ...device,
    nearest: limit,
    idempotencyKey,
    ...(place ?? { lat: undefined, lng: undefined }),
  });
  if (!place) return null;
  const shown = nearest.map(({ name, lat, lng, rangeMeters: range, distanceMeters: distance }) => ({
    name,
    lat,
    lng,
    range,
    distance,
  }));
  return more ? { geozones: shown } : (shown[0] ?? null);
};

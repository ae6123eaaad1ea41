export interface Place {
  readonly lat: number;
  readonly lng: number;
}

export const EARTH_RADIUS_METERS = 6_371_000;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

export function latitudesAround({ lat }: Place, meters: number): readonly [south: number, north: number] {
  const degrees = (meters / EARTH_RADIUS_METERS) * (180 / Math.PI);
  return [lat - degrees, lat + degrees];
}

export function distanceMeters(from: Place, to: Place): number {
  const halfLat = Math.sin(radians(to.lat - from.lat) / 2);
  const halfLng = Math.sin(radians(to.lng - from.lng) / 2);
  const chord = halfLat ** 2 + Math.cos(radians(from.lat)) * Math.cos(radians(to.lat)) * halfLng ** 2;
  return 2 * EARTH_RADIUS_METERS * Math.asin(Math.min(1, Math.sqrt(chord)));
}

import fc from 'fast-check';
import { distanceMeters, EARTH_RADIUS_METERS, latitudesAround } from './distance.ts';
import { isOpen } from './timetable.ts';

const at = (text: string): Date => new Date(`${text}Z`);

describe('a timetable (R-F3)', () => {
  // 2026-01-05 is a Monday.
  const hours = [
    { day: 1, start: 8 * 60, stop: 12 * 60 },
    { day: 1, start: 22 * 60, stop: 26 * 60 },
    { day: 7, start: 23 * 60, stop: 24 * 60 },
  ];
  const open = (text: string, timezoneSeconds = 0) => isOpen({ timezoneSeconds, hours }, at(text));

  it.each([
    ['2026-01-05T07:59:59', false],
    ['2026-01-05T08:00', true],
    ['2026-01-05T11:59:59', true],
    ['2026-01-05T12:00', false],
    ['2026-01-05T22:00', true],
    ['2026-01-06T01:59', true],
    ['2026-01-06T02:00', false],
    ['2026-01-06T08:00', false],
    ['2026-01-11T23:30', true],
    ['2026-01-12T00:00', false],
    ['2026-01-12T08:00', true],
    ['2026-01-04T23:00', true],
  ])('is at %s open: %s', (text, expected) => expect(open(text)).toBe(expected));

  it('uses its own offset from UTC', () => {
    expect(open('2026-01-05T06:00', 7200)).toBe(true);
    expect(open('2026-01-05T10:00', 7200)).toBe(false);
    expect(open('2026-01-05T12:59', -18_000)).toBe(false);
    expect(open('2026-01-05T13:00', -18_000)).toBe(true);
  });

  it('is always open if it is missing, and never without hours', () => {
    expect(isOpen(undefined, at('2026-01-05T00:00'))).toBe(true);
    expect(isOpen({ timezoneSeconds: 0, hours: [] }, at('2026-01-05T00:00'))).toBe(false);
  });

  it('is open for as many minutes of a week as its hours have', () => {
    const interval = fc.record({
      day: fc.integer({ min: 1, max: 7 }),
      start: fc.integer({ min: 0, max: 1439 }),
      length: fc.integer({ min: 1, max: 1439 }),
    });
    fc.assert(
      fc.property(interval, fc.integer({ min: -43_200, max: 50_400 }), ({ day, start, length }, timezoneSeconds) => {
        const timetable = { timezoneSeconds, hours: [{ day, start, stop: start + length }] };
        let minutes = 0;
        for (let minute = 0; minute < 7 * 1440; minute++) {
          if (isOpen(timetable, new Date(1_767_571_200_000 + minute * 60_000))) minutes++;
        }
        return minutes === length;
      }),
      { numRuns: 30 },
    );
  });
});

describe('a distance (R-C13)', () => {
  const quarter = (EARTH_RADIUS_METERS * Math.PI) / 2;

  it.each([
    [{ lat: 0, lng: 0 }, { lat: 0, lng: 0 }, 0],
    [{ lat: 0, lng: 0 }, { lat: 0, lng: 90 }, quarter],
    [{ lat: 90, lng: 17 }, { lat: -90, lng: 0 }, 2 * quarter],
    [{ lat: 0, lng: 179.5 }, { lat: 0, lng: -179.5 }, quarter / 90],
    [{ lat: 60, lng: 0 }, { lat: 60, lng: 0.01 }, 555.97],
  ])('is that on the sphere: from %j to %j', (from, to, meters) =>
    expect(distanceMeters(from, to)).toBeCloseTo(meters, 1),
  );

  it('equals the radius at the latitudes around a place', () => {
    const place = { lat: -33.9, lng: 18.4 };
    for (const lat of latitudesAround(place, 1000))
      expect(distanceMeters(place, { ...place, lat })).toBeCloseTo(1000, 1);
  });
});

import type { Fault } from '@tidings/kernel';
import type { Method, Request } from '../method.ts';
import { addGeoZone } from './addGeoZone.ts';
import { deleteGeoZone } from './deleteGeoZone.ts';
import { getNearestZone } from './getNearestZone.ts';
import { updateGeoZone } from './updateGeoZone.ts';

const textOf = (method: Method, given: Request): string | undefined => {
  const missing = method.missing(given);
  if (missing) return missing.message;
  try {
    method.parse(given);
    return undefined;
  } catch (thrown) {
    return (thrown as Fault).message;
  }
};

const zone = { name: 'Station', lat: '52.5', lng: 13.4, cooldown: 60, range: 200, content: 'Hi' };
const adding = (...zones: Request[]): Request => ({ application: 'A1B2C-3D4E5', geozones: zones });
const hours = (timetable: unknown): string | undefined => {
  const text = textOf(addGeoZone, adding({ ...zone, timetable }));
  return text?.replace('geozones[0].timetable', 'T');
};
const span = (start: string, stop: string) => ({ start, stop });

describe('getNearestZone (R-C13)', () => {
  const device = { application: 'A1B2C-3D4E5', hwid: 'phone-1' };

  it('accepts a place, or null for both coordinates if the device has none any more', () => {
    expect(getNearestZone.parse({ ...device, lat: '1.5', lng: 0 })).toMatchObject({ place: { lat: 1.5, lng: 0 } });
    expect(textOf(getNearestZone, { ...device, lat: null, lng: null })).toBeUndefined();
    expect(getNearestZone.parse({ ...device, lat: null, lng: null }).place).toBeUndefined();
  });

  it.each([
    [{}, 'Missing required argument: lat'],
    [{ lat: null }, 'Missing required argument: lat'],
    [{ lat: 1, lng: null }, 'Missing required argument: lng'],
    [{ lat: null, lng: 1 }, 'Missing required argument: lat'],
    [{ lat: 91, lng: 1 }, 'lat: must be -90 to 90'],
  ])('refuses %j', (place, text) => expect(textOf(getNearestZone, { ...device, ...place })).toBe(text));
});

describe('addGeoZone', () => {
  it.each<[Request, string | undefined]>([
    [adding(zone, { ...zone, content: '' }), 'geozones[1]: content or presetCode is required'],
    [adding({ ...zone, content: null, presetCode: 'd1' }), undefined],
    [adding({ ...zone, content: {} }), 'geozones[0].content: must not be empty'],
    [adding({ ...zone, content: { en: true } }), 'geozones[0].content.en: must be a string'],
    [adding({ ...zone, lat: '90.1' }), 'geozones[0].lat: must be -90 to 90'],
    [adding({ ...zone, lng: -181 }), 'geozones[0].lng: must be -180 to 180'],
    [adding({ ...zone, range: 49 }), 'geozones[0].range: must be 50 to 1000'],
    [adding({ ...zone, cooldown: null }), 'Missing required argument: geozones[0].cooldown'],
    [adding({ ...zone, cluster: '' }), 'Cluster not found'],
    [adding({ ...zone, campaign: '' }), 'geozones[0].campaign: not found'],
    [adding({ ...zone, name: 'x'.repeat(65_536) }), undefined],
    [adding({ ...zone, name: 'x'.repeat(65_537) }), 'geozones[0].name: at most 65536 characters'],
    [adding(), 'geozones: must not be empty'],
  ])('checks each geozone, and names the fault: %#', (given, text) => expect(textOf(addGeoZone, given)).toBe(text));

  it.each<[unknown, string | undefined]>([
    [null, undefined],
    [{}, undefined],
    [{ timezone: 50_401 }, 'T.timezone: must be -43200 to 50400'],
    [{ Mon: null, Tue: [] }, undefined],
    [{ Monday: [] }, 'T.Monday: unknown key'],
    [{ Mon: {} }, 'T.Mon: must be an array'],
    [{ Mon: [{}] }, 'T.Mon[0].start: must be HH:mm'],
    [{ Mon: [{ ...span('08:00', '09:00'), more: 1 }] }, 'T.Mon[0].more: unknown key'],
    [{ Mon: [span('8:00', '09:00')] }, 'T.Mon[0].start: must be HH:mm'],
    [{ Mon: [span('24:00', '09:00')] }, 'T.Mon[0].start: must be HH:mm'],
    [{ Mon: [span('08:00', '24:01')] }, 'T.Mon[0].stop: must be HH:mm'],
    [{ Mon: [span('08:00', '08:00')] }, 'T.Mon[0]: start and stop must differ'],
    [{ Mon: [span('00:00', '24:00')] }, undefined],
    [{ Mon: [span('08:00', '12:00'), span('12:00', '13:00')] }, undefined],
    [{ Mon: [span('08:00', '12:00'), span('11:59', '13:00')] }, 'T.Mon: intervals must not overlap'],
    [{ Mon: [span('20:00', '02:00'), span('23:00', '00:00')] }, 'T.Mon: intervals must not overlap'],
    [{ Mon: [span('20:00', '02:00'), span('01:00', '03:00')] }, undefined],
    [{ Mon: [span('01:00', '02:00'), span('03:00', '04:00'), span('05:00', '06:00')] }, 'T.Mon: at most 2 entries'],
  ])('checks the timetable of a geozone, and names the fault: %#', (timetable, text) =>
    expect(hours(timetable)).toBe(text),
  );

  it('reads hours as minutes of the day on which they begin', () => {
    const timetable = {
      Mon: [span('22:00', '02:00'), span('08:30', '00:00')].slice(0, 1),
      Sun: [span('08:30', '00:00')],
    };
    expect(addGeoZone.parse(adding({ ...zone, timetable })).geozones[0]?.timetable).toMatchObject({
      timezoneSeconds: 0,
      hours: [
        { day: 1, start: 1320, stop: 1560 },
        { day: 7, start: 510, stop: 1440 },
      ],
    });
  });

  it.each([
    [
      { Mon: [span('00:00', '24:00')], Tue: [] },
      { Mon: [span('00:00', '24:00')], Tue: [] },
    ],
    [
      { timezone: '3600', Sun: [span('08:00', '00:00')], Mon: null },
      { timezone: 3600, Sun: [span('08:00', '00:00')] },
    ],
    [{ timezone: null }, {}],
  ])('keeps hours as they are given: %j', (timetable, kept) => {
    const { given } = addGeoZone.parse(adding({ ...zone, timetable })).geozones[0]!.timetable!;
    expect(JSON.parse(given)).toEqual(kept);
    expect(hours(JSON.parse(given))).toBeUndefined();
  });
});

describe('updateGeoZone', () => {
  it('distinguishes a missing cluster from an unbound one', () => {
    expect(updateGeoZone.parse({ geoZoneId: '17' })).toMatchObject({
      id: 17,
      cluster: undefined,
      campaign: undefined,
      timetable: undefined,
      alwaysOpen: false,
    });
    expect(updateGeoZone.parse({ geoZoneId: 17, cluster: null, campaign: null, timetable: null })).toMatchObject({
      cluster: '',
      campaign: '',
      timetable: undefined,
      alwaysOpen: true,
    });
    expect(textOf(updateGeoZone, { geoZoneId: 17, content: 'x', presetCode: 'd1' })).toBe(
      'content: must not be used together with presetCode',
    );
    expect(updateGeoZone.parse({ geoZoneId: 17, content: 'x', presetCode: '' })).toMatchObject({
      content: '"x"',
      preset: '',
    });
    expect(textOf(updateGeoZone, { geoZoneId: 17, cluster: '' })).toBe('Cluster not found');
  });

  it.each([-1, 0, '-17', 2 ** 53, '9007199254740993', 1e300])('reads %p as the id of an unknown zone (R-F2)', (id) => {
    expect(updateGeoZone.parse({ geoZoneId: id })).toMatchObject({ id: 0 });
  });

  it.each([1.5, '1.5', 'x', true])('refuses %p as an id', (id) =>
    expect(textOf(updateGeoZone, { geoZoneId: id })).toBe('geoZoneId: must be an integer'),
  );
});

describe('deleteGeoZone', () => {
  it.each([
    ['17', undefined],
    [[17, '18'], undefined],
    ['x', 'geozones: must be an integer'],
    [{}, 'geozones: must be an integer'],
    [[17, 'x'], 'geozones[1]: must be an integer'],
    [[], 'geozones: must not be empty'],
  ])('accepts ids, or one id: %j', (geozones, text) =>
    expect(textOf(deleteGeoZone, { application: 'a', geozones })).toBe(text),
  );
});

describe('getNearestZone', () => {
  it.each([
    [{ lat: 91 }, 'lat: must be -90 to 90'],
    [{ lng: 'x' }, 'lng: must be a number'],
    [{ more: 2 }, 'more: must be 0 or 1'],
    [{ lat: null }, 'Missing required argument: lat'],
    [{ lat: '53.42', more: '1' }, undefined],
  ])('checks place and number, and names the fault: %j', (given, text) =>
    expect(textOf(getNearestZone, { application: 'a', hwid: 'h', lat: 1, lng: 2, ...given })).toBe(text),
  );
});

import { Geozone } from '@tidings/events';
import { shownZone } from './zone.ts';

const hours = [
  { day: 1, start: 0, stop: 1440 },
  { day: 7, start: 1320, stop: 1560 },
];
const shown = (given: string): unknown =>
  shownZone(Geozone.fromPartial({ timetable: { timezoneSeconds: 3600, hours, given } })).timetable;

describe('the hours of a zone', () => {
  it('are shown as they were given', () => expect(shown('{"Mon":[],"Tue":[]}')).toEqual({ Mon: [], Tue: [] }));

  it('are shown in an accepted form if only their meaning was stored', () =>
    expect(shown('')).toEqual({
      timezone: 3600,
      Mon: [{ start: '00:00', stop: '24:00' }],
      Sun: [{ start: '22:00', stop: '02:00' }],
    }));
});

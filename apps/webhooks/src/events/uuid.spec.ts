import { describe, expect, it } from '@jest/globals';
import { eventUuids, type Occurrence } from './uuid.ts';

interface EventIdentity extends Occurrence {
  readonly hwid: string;
}

const eventUuid = ({ hwid, ...of }: EventIdentity): string => eventUuids(of)(hwid);

const event: EventIdentity = {
  messageId: 20_012_343_258n,
  application: 'AAAAA-BBBBB',
  hwid: 'phone',
  name: 'Push Sent',
};

describe('the UUID of an event (R-EV4)', () => {
  it('has version 5 and never changes', () => {
    expect(eventUuid(event)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(eventUuid(event)).toBe('1ba7b7a1-80d3-517b-86b1-cfeb38b2cbd5');
    expect(eventUuid({ ...event, occurrence: 1 })).toBe(eventUuid(event));
  });

  it('is that of its device, however long its hwid is', () => {
    const uuidOf = eventUuids(event);
    for (const hwid of ['phone', '€'.repeat(500), 'p', 'phone'])
      expect(uuidOf(hwid)).toBe(eventUuid({ ...event, hwid }));
    expect(uuidOf('€'.repeat(500))).not.toBe(uuidOf('€'.repeat(499)));
  });

  it.each<Partial<EventIdentity>>([
    { messageId: 20_012_343_259n },
    { application: 'AAAAA-CCCCC' },
    { hwid: 'phone ' },
    { name: 'Push Opened' },
    { occurrence: 2 },
  ])('differs with %j', (other) => {
    expect(eventUuid({ ...event, ...other })).not.toBe(eventUuid(event));
  });
});

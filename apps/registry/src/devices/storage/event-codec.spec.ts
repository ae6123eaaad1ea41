import { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { encodeEvent, stampedEvent } from './event-codec.ts';

describe('a published device event', () => {
  const event: DeviceEvent = {
    stamp: undefined,
    account: 'default',
    application: 'AAAAA-00001',
    hwidHash: 'p'.repeat(22),
    hwid: 'h',
    seq: 5,
    at: new Date(1_700_000_000_123),
    previous: 7n,
    event: { $case: 'tokenSet', value: { token: 't', tokenHash: 'th', platform: 3 } },
  };
  const stamp = { log: 'devices-15', position: 2n ** 53n, index: 499 };

  it('is the stored one with its stamp', () => {
    const published = DeviceEvent.decode(stampedEvent(encodeEvent(event), stamp));
    expect(published).toEqual({ ...event, stamp });
  });
});

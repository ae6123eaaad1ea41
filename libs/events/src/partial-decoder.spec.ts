import { describe, expect, it } from '@jest/globals';
import { DeviceEvent } from './generated/tidings/events/v1/devices.ts';
import { PartialErasureEvent, PartialTokenEvent } from './generated/tidings/events/v1/partial_device_events.ts';
import { partialDecoder } from './partial-decoder.ts';

describe('partialDecoder', () => {
  const event = (body: DeviceEvent['event']): Uint8Array =>
    DeviceEvent.encode({
      stamp: { log: 'devices-3', position: 2n ** 40n, index: 4 },
      account: 'default',
      application: 'AAAAA-00001',
      hwidHash: 'p'.repeat(22),
      hwid: 'h'.repeat(200),
      seq: 2 ** 31,
      at: new Date(1_700_000_000_123),
      previous: 2n ** 40n,
      event: body,
    }).finish();
  const token = { token: 't'.repeat(300), tokenHash: 'hash', platform: 3 };

  it('finds the token that a device registers or sets, and none in other events', () => {
    const tags = [{ tag: 7, value: { $case: 'text', value: 'Pixel' } as const }];
    const registered = { platform: 3, token, user: undefined, keys: undefined, tags };
    const { decode } = partialDecoder(PartialTokenEvent);
    const read = (body: DeviceEvent['event']) => {
      const { application, tokenSet, registered: first } = decode(event(body));
      return [application, tokenSet?.tokenHash ?? first?.token?.tokenHash];
    };
    expect(read({ $case: 'registered', value: registered })).toEqual(['AAAAA-00001', 'hash']);
    expect(read({ $case: 'registered', value: { ...registered, token: undefined } })).toEqual([
      'AAAAA-00001',
      undefined,
    ]);
    expect(read({ $case: 'tokenSet', value: token })).toEqual(['AAAAA-00001', 'hash']);
    expect(read({ $case: 'tagsChanged', value: { tags } })).toEqual(['AAAAA-00001', undefined]);
  });

  it('finds the erased device, and the position of its erasure', () => {
    const { decode } = partialDecoder(PartialErasureEvent);
    expect(decode(event({ $case: 'erased', value: { withApplication: false } }))).toEqual({
      stamp: { log: 'devices-3', position: 2n ** 40n, index: 4 },
      account: 'default',
      application: 'AAAAA-00001',
      hwidHash: 'p'.repeat(22),
      seq: 2_147_483_648,
      at: new Date(1_700_000_000_123),
      erased: {},
    });
    expect(decode(event({ $case: 'tokenSet', value: token })).erased).toBeUndefined();
  });

  it('refuses a truncated message', () => {
    const bytes = event({ $case: 'erased', value: { withApplication: false } });
    for (const length of [bytes.length - 1, 60, 20]) {
      expect(() => partialDecoder(PartialErasureEvent).decode(bytes.subarray(0, length))).toThrow();
    }
  });
});

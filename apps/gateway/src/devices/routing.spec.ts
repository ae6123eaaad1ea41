import { deviceLogOf, hwidHashOf } from '@tidings/audience';
import { DeviceCommand } from '@tidings/rpc';
import { identityKeysFrom } from '@tidings/runtime';
import { isRepeatable, logOfCommand } from './routing.ts';

const deviceKey = identityKeysFrom(new Uint8Array(32)).device;
const head = { account: 'a', application: 'A', hwid: 'phone-1', userId: '', idempotencyKey: '' };
const setTags = (tags: Record<string, unknown>, idempotencyKey = ''): DeviceCommand => ({
  ...head,
  idempotencyKey,
  command: { $case: 'setTags', value: { tags } },
});

describe('a command to a device', () => {
  it('is routed to the log of its device', () => {
    const logOf = logOfCommand(() => deviceKey);
    expect(logOf(DeviceCommand.fromPartial(head))).toBe(deviceLogOf(hwidHashOf(deviceKey, 'a', 'phone-1')));
    expect(logOf(DeviceCommand.fromPartial({ ...head, hwid: '', userId: 'anna' }))).toBe(
      deviceLogOf(hwidHashOf(deviceKey, 'a', 'anna')),
    );
  });

  it('may be repeated if it sets values, or has a key', () => {
    expect(isRepeatable(setTags({ Level: 6, Names: ['a'], Off: null }))).toBe(true);
    expect(isRepeatable(setTags({ Level: { operation: 'increment', value: 1 } }, 'k'))).toBe(true);
    const opened: DeviceCommand['command'] = {
      $case: 'open',
      value: {
        userId: undefined,
        language: 'en',
        timezoneSeconds: undefined,
        appVersion: undefined,
        osVersion: undefined,
        deviceModel: undefined,
      },
    };
    expect(isRepeatable({ ...head, command: opened })).toBe(true);
    expect(isRepeatable({ ...head, command: { $case: 'unregister', value: {} } })).toBe(true);
  });

  it('may not be repeated if it adds to values', () => {
    const tags = { Other: 1, Level: { operation: 'increment', value: 1 } };
    expect(isRepeatable(setTags(tags))).toBe(false);
    const register = DeviceCommand.fromPartial({
      ...head,
      command: { $case: 'register', value: { platform: 1, tags } },
    });
    expect(isRepeatable(register)).toBe(false);
  });
});

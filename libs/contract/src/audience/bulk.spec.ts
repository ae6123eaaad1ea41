import { Fault } from '@tidings/kernel';
import { api } from '../api.ts';

const entryOf = (device: Readonly<Record<string, unknown>>) =>
  api.bulkRegisterDevice.parse({ application: 'A1B2C-3D4E5', devices: [device] }).devices[0]!;

describe('bulkRegisterDevice', () => {
  it.each([
    [{ hwid: 'CRM-1', push_token: 'Anna@Example.com' }, 'CRM-1', 'anna@example.com', 14],
    [{ hwid: 'Anna@Example.com', push_token: '' }, 'anna@example.com', 'anna@example.com', 14],
    [{ hwid: 'CRM-1', push_token: '' }, 'CRM-1', 'crm-1', 0],
    [{ hwid: 'CRM-1', push_token: 'a@example' }, 'CRM-1', 'a@example', 0],
    [{ hwid: 'Phone@Home', push_token: 'AB', platform: 3 }, 'Phone@Home', 'AB', 3],
    [{ hwid: 'phone', push_token: 't', platform: -1 }, 'phone', 't', 0],
    [{ hwid: 'phone', push_token: 't', platform: 2 ** 32 + 3 }, 'phone', 't', 0],
  ])('%j', (device, hwid, newPushToken, platform) =>
    expect(entryOf({ platform: 14, ...device })).toMatchObject({
      ...{ identifier: { $case: 'hwid', value: hwid }, newPushToken, platform },
    }),
  );
});

describe('a question after a job', () => {
  const isDetailed = (detailed?: string) => api.getBulkSetTags.parse({ request_id: 'x', detailed }).detailed;

  it.each([
    ['true', true],
    ['True', true],
    ['1', true],
    ['FALSE', false],
    ['0', false],
    ['', false],
    [undefined, false],
  ])('takes the boolean %j as %s', (given, taken) => expect(isDetailed(given)).toBe(taken));

  it('takes nothing else', () => {
    expect(() => isDetailed('maybe')).toThrow(Fault.argument('detailed: must be a boolean'));
  });

  it('names no application, so that nobody learns whether it exists (R-T5)', () => {
    expect(api.getBulkSetTags.application({ request_id: 'r', application: 'A1B2C-3D4E5' })).toBeUndefined();
    expect(api.bulkSetTags.application({ application: 'A1B2C-3D4E5' })).toBe('A1B2C-3D4E5');
  });
});

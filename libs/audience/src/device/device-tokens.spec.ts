import { TokenRemoval } from '@tidings/events/generated/tidings/events/v1/devices';
import { Platform } from '@tidings/kernel';
import type { DeviceAction } from './action.ts';
import { decide } from './decide.ts';
import { type Device, evolve } from './device.ts';
import type { DeviceIdentity } from './events.ts';

const identity: DeviceIdentity = {
  account: 'default',
  application: 'AAAAA-00001',
  hwidHash: 'p'.repeat(22),
  hwid: 'h1',
};
const AT = new Date('2026-01-01T12:00:00Z');

const register = (platform: number, text?: string | null): DeviceAction => ({
  type: 'register',
  platform,
  writes: [],
  token: typeof text === 'string' ? { text, hash: `hash of ${text}` } : text,
});

function after(...actions: readonly DeviceAction[]) {
  let device: Device | undefined;
  let said: readonly unknown[] = [];
  for (const action of actions) {
    const { events } = decide(identity, { own: device, siblings: [] }, action, 1, AT);
    for (const event of events) device = evolve(device, event);
    said = events.map(({ event }) => event);
  }
  return { device: device!, said };
}

describe('the token of a device that changes its platform without a new one (R-C1)', () => {
  it('stays, and is reported for the new platform, on which another device may have it', () => {
    const { device, said } = after(register(Platform.Android, 't'), register(Platform.Chrome));
    expect(device).toMatchObject({ platform: Platform.Chrome, token: 't', th: 'hash of t' });
    expect(said).toContainEqual({
      $case: 'tokenSet',
      value: { token: 't', tokenHash: 'hash of t', platform: Platform.Chrome },
    });
  });

  it('is removed if it was the address of a contact', () => {
    const { device, said } = after(register(Platform.Sms, '+4915112345678'), register(Platform.Android));
    expect(device).toMatchObject({ platform: Platform.Android, token: undefined, th: undefined, alerts: true });
    const { TOKEN_REMOVAL_CLEARED: reason } = TokenRemoval;
    expect(said).toContainEqual({ $case: 'tokenRemoved', value: { reason } });
  });

  it('is not reported if there is none', () =>
    expect(after(register(Platform.Android), register(Platform.iOS)).said).toHaveLength(1));
});

describe('an e-mail contact (R-C1)', () => {
  const address = 'anna@example.com';
  const refused = 'Email address has invalid count of parts';

  it('keeps its address if none is given', () =>
    expect(after(register(Platform.Email, address), register(Platform.Email))).toMatchObject({
      device: { platform: Platform.Email, token: address },
      said: [],
    }));

  it.each<[string, readonly DeviceAction[]]>([
    ['new', []],
    ['a phone until now', [register(Platform.Android, 't')]],
    ['without one since it was unregistered', [register(Platform.Email, address), { type: 'unregister' }]],
  ])('is refused without an address if it is %s', (_, before) =>
    expect(() => after(...before, register(Platform.Email))).toThrow(refused),
  );

  it('does not lose its address', () =>
    expect(() => after(register(Platform.Email, address), register(Platform.Email, null))).toThrow(refused));
});

describe('a device of another platform', () => {
  const only = (platform: number): DeviceAction => ({
    type: 'register',
    platform,
    writes: [],
    onlyPlatform: true,
    token: { text: 't2', hash: 'hash of t2' },
  });
  const refusal = 'The device has another platform';

  it('is neither registered nor unregistered by a call for one platform', () => {
    const before = register(Platform.Android, 't');
    expect(() => after(before, only(Platform.Safari))).toThrow(refusal);
    expect(() => after(before, { type: 'unregister', platform: Platform.Safari })).toThrow(refusal);
    expect(after(before, only(Platform.Android)).device).toMatchObject({ token: 't2' });
    expect(after(before, { type: 'unregister', platform: Platform.Android }).device.token).toBeUndefined();
    expect(after(only(Platform.Safari)).device).toMatchObject({ platform: Platform.Safari, token: 't2' });
  });
});

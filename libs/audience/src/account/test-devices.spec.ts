import { describe, expect, it } from '@jest/globals';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import type { AccountAction } from './decide.ts';
import {
  decideTestDevice,
  evolveTestDevices,
  testDeviceHash,
  testDevicePositions,
  type TestDevicesState,
} from './test-devices.ts';
import { app, applicationCreated, event, given } from './testing/accounts.ts';

const device = (pushToken: string, name = 'x') => ({ pushToken, platform: 3, name, description: '' });
const set = (pushToken: string, { name = 'x', isAnonymous = false } = {}): AccountAction => ({
  type: 'setTestDevice',
  application: app,
  isAnonymous,
  device: device(pushToken, name),
});
const tokenHash = (pushToken: string): string => testDeviceHash({ pushToken });
const confirm = (pushToken: string, confirmed: boolean): AccountAction => ({
  type: 'confirmTestDevice',
  application: app,
  tokenHash: tokenHash(pushToken),
  confirmed,
});
const remove = (pushToken: string) =>
  ({ type: 'deleteTestDevice', application: app, tokenHash: tokenHash(pushToken) }) as const;

const deviceSet = (pushToken: string, { name = 'x', unconfirmed = false } = {}) =>
  event('testDeviceSet', { application: app, ...device(pushToken, name), language: undefined, unconfirmed });
const removed = (pushToken: string) => event('testDeviceRemoved', { application: app, pushToken });

const givenDevices = (...past: readonly AccountEvent[]) => given(applicationCreated(), ...past);
const devicesOf = ({ state }: ReturnType<typeof given>) => state('testDevices', app)!.devices;
const shown = (world: ReturnType<typeof given>) =>
  devicesOf(world).map(({ pushToken, unconfirmed }) => `${pushToken}${unconfirmed ? '?' : ''}`);

describe('an account', () => {
  it('keeps test devices by push token, at most 100 (R-L1, R-LM7)', () => {
    const past = Array.from({ length: 100 }, (_, i) => deviceSet(`t${i}`));
    givenDevices(...past.slice(0, 99))
      .when(set('t99'))
      .then(deviceSet('t99'));
    givenDevices(...past)
      .when(set('one more'))
      .thenRefused('Test device limit reached (100)');
    const renamed = deviceSet('t7', { name: 'renamed' });
    givenDevices(...past)
      .when(set('t7', { name: 'renamed' }))
      .then(renamed);
    const after = givenDevices(...past, renamed);
    after.when(set('t7', { name: 'renamed' })).then();
    expect(devicesOf(after)).toHaveLength(100);
    expect(devicesOf(after)[7]).toMatchObject({ pushToken: 't7', name: 'renamed' });
    after.when(set('t7', { name: 'x'.repeat(3 << 20) })).thenRefused('test devices: at most 3 MiB');
  });

  describe('an account with test devices that were created without a token (R-L1)', () => {
    const unconfirmed = (pushToken: string, name = 'x') => deviceSet(pushToken, { name, unconfirmed: true });

    it('keeps them unconfirmed until an operator, or a call with a token, confirms them', () => {
      givenDevices()
        .when(set('a', { isAnonymous: true }))
        .then(unconfirmed('a'));
      const past = [unconfirmed('a'), unconfirmed('b')];
      expect(shown(givenDevices(...past))).toEqual(['a?', 'b?']);
      givenDevices(...past)
        .when(set('a'))
        .then(deviceSet('a'));
      givenDevices(...past)
        .when(confirm('b', true))
        .then(deviceSet('b'));
      const confirmed = [...past, deviceSet('a'), deviceSet('b')];
      const renamed = deviceSet('b', { name: 'renamed' });
      givenDevices(...confirmed)
        .when(set('b', { isAnonymous: true, name: 'renamed' }))
        .then(renamed);
      const after = givenDevices(...confirmed, renamed);
      expect(shown(after)).toEqual(['a', 'b']);
      after.when(confirm('a', false)).then(unconfirmed('a'));
      expect(shown(givenDevices(...confirmed, renamed, unconfirmed('a')))).toEqual(['a?', 'b']);
      after.when(confirm('c', true)).then();
    });

    it('deletes the oldest of them if one with a token needs room', () => {
      const names = Array.from({ length: 99 }, (_, i) => `t${i}`);
      const isConfirmed = (name: string): boolean => name === 't7' || name === 't57';
      const past: AccountEvent[] = names.map((name) => (isConfirmed(name) ? deviceSet(name) : unconfirmed(name)));
      past.push(unconfirmed('last'));
      givenDevices(...past)
        .when(set('stranger', { isAnonymous: true }))
        .thenRefused('Test device limit reached (100)');
      const evictable = [...names.filter((name) => !isConfirmed(name)), 'last'];
      evictable.forEach((oldest, i) => {
        const events = [removed(oldest), deviceSet(`own${i}`)];
        givenDevices(...past)
          .when(set(`own${i}`))
          .then(...events);
        past.push(...events);
        if (i > 0) return;
        expect(shown(givenDevices(...past)).slice(0, 2)).toEqual(['t1?', 't2?']);
        expect(shown(givenDevices(...past)).at(-1)).toBe('own0');
      });
      expect(shown(givenDevices(...past))).toHaveLength(100);
      givenDevices(...past)
        .when(set('one more'))
        .thenRefused('Test device limit reached (100)');
    });

    it('makes room for their size', () => {
      const name = 'x'.repeat(2 << 20);
      const large = givenDevices(unconfirmed('large', name));
      large.when(set('stranger', { isAnonymous: true, name })).thenRefused('test devices: at most 3 MiB');
      const events = [removed('large'), deviceSet('own', { name })];
      large.when(set('own', { name })).then(...events);
      expect(shown(givenDevices(unconfirmed('large', name), ...events))).toEqual(['own']);
    });

    it('gives the place of a deleted one to no other', () => {
      const past = ['a', 'b', 'c'].map((pushToken) => deviceSet(pushToken));
      givenDevices(...past)
        .when(remove('c'))
        .then(removed('c'));
      givenDevices(...past, removed('c'))
        .when(remove('a'))
        .then(removed('a'));
      givenDevices(...past, removed('c'), removed('a'))
        .when(set('d'))
        .then(deviceSet('d'));
      const after = givenDevices(...past, removed('c'), removed('a'), deviceSet('d'));
      expect(shown(after)).toEqual(['b', 'd']);
      expect(testDevicePositions(devicesOf(after))).toEqual([1, 3]);
    });

    it('keeps the places of those that version 0.1.0 has stored', () => {
      const devices = ['a', 'b', 'c'].map((pushToken) => device(pushToken));
      const stored: TestDevicesState = { kind: 'testDevices', account: 'a', application: app, devices };
      expect(decideTestDevice(stored, remove('a'), 100)).toEqual([removed('a').event]);
      const positions = (...past: readonly AccountEvent[]) =>
        testDevicePositions(past.reduce<TestDevicesState | undefined>(evolveTestDevices, stored)!.devices);
      expect(positions(removed('a'), deviceSet('d'))).toEqual([1, 2, 3]);
      expect(positions(removed('c'), deviceSet('d'))).toEqual([0, 1, 3]);
    });
  });
});

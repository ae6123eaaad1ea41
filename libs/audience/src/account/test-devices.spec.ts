import { beforeEach, describe, expect, it } from '@jest/globals';
import { testDeviceHash, testDevicePositions, type TestDevicesState } from './test-devices.ts';
import { app, Accounts, createApplication } from './testing/accounts.ts';

describe('an account', () => {
  let accounts: Accounts;
  beforeEach(() => {
    accounts = new Accounts();
  });

  it('keeps test devices by push token, at most 100 (R-L1, R-LM7)', () => {
    accounts.do('a', createApplication());
    const set = (pushToken: string, name = 'x') =>
      accounts.do('a', {
        type: 'setTestDevice',
        application: app,
        device: { pushToken, platform: 3, name, description: '' },
      });
    for (let i = 0; i < 100; i++) set(`t${i}`);
    expect(() => set('one more')).toThrow('Test device limit reached (100)');
    expect(set('t7', 'renamed')).toHaveLength(1);
    expect(set('t7', 'renamed')).toEqual([]);
    const { devices } = accounts.states.get(`test devices ${app}`) as TestDevicesState;
    expect(devices).toHaveLength(100);
    expect(devices[7]).toMatchObject({ pushToken: 't7', name: 'renamed' });
    expect(() => set('t7', 'x'.repeat(3 << 20))).toThrow('test devices: at most 3 MiB');
  });

  describe('an account with test devices that were created without a token (R-L1)', () => {
    const set = (pushToken: string, isAnonymous: boolean, name = 'x') =>
      accounts.do('a', {
        type: 'setTestDevice',
        application: app,
        isAnonymous,
        device: { pushToken, platform: 3, name, description: '' },
      });
    const tokenHash = (pushToken: string): string => testDeviceHash({ pushToken });
    const state = () => accounts.states.get(`test devices ${app}`) as TestDevicesState;
    const shown = () => state().devices.map(({ pushToken, unconfirmed }) => `${pushToken}${unconfirmed ? '?' : ''}`);
    beforeEach(() => void accounts.do('a', createApplication()));

    it('keeps them unconfirmed until an operator, or a call with a token, confirms them', () => {
      set('a', true);
      set('b', true);
      expect(shown()).toEqual(['a?', 'b?']);
      set('a', false);
      accounts.do('a', {
        type: 'confirmTestDevice',
        application: app,
        tokenHash: tokenHash('b'),
        confirmed: true,
      });
      set('b', true, 'renamed');
      expect(shown()).toEqual(['a', 'b']);
      accounts.do('a', {
        type: 'confirmTestDevice',
        application: app,
        tokenHash: tokenHash('a'),
        confirmed: false,
      });
      expect(shown()).toEqual(['a?', 'b']);
      expect(
        accounts.do('a', {
          type: 'confirmTestDevice',
          application: app,
          tokenHash: tokenHash('c'),
          confirmed: true,
        }),
      ).toEqual([]);
    });

    it('deletes the oldest of them if one with a token needs room', () => {
      for (let i = 0; i < 99; i++) set(`t${i}`, i % 50 !== 7);
      set('last', true);
      expect(() => set('stranger', true)).toThrow('Test device limit reached (100)');
      set('own', false);
      expect(shown().slice(0, 2)).toEqual(['t1?', 't2?']);
      expect(shown().at(-1)).toBe('own');
      for (let i = 0; i < 97; i++) set(`own${i}`, false);
      expect(shown()).toHaveLength(100);
      expect(() => set('one more', false)).toThrow('Test device limit reached (100)');
    });

    it('makes room for their size', () => {
      set('large', true, 'x'.repeat(2 << 20));
      expect(() => set('stranger', true, 'x'.repeat(2 << 20))).toThrow('test devices: at most 3 MiB');
      set('own', false, 'x'.repeat(2 << 20));
      expect(shown()).toEqual(['own']);
    });

    it('gives the place of a deleted one to no other', () => {
      for (const pushToken of ['a', 'b', 'c']) set(pushToken, false);
      accounts.do('a', { type: 'deleteTestDevice', application: app, tokenHash: tokenHash('c') });
      accounts.do('a', { type: 'deleteTestDevice', application: app, tokenHash: tokenHash('a') });
      set('d', false);
      expect(shown()).toEqual(['b', 'd']);
      expect(testDevicePositions(state().devices)).toEqual([1, 3]);
    });

    it('keeps the places of those that version 0.1.0 has stored', () => {
      const device = (pushToken: string) => ({ pushToken, platform: 3, name: 'x', description: '' });
      const devices = ['a', 'b', 'c'].map(device);
      accounts.states.set(`test devices ${app}`, { kind: 'testDevices', account: 'a', application: app, devices });
      accounts.do('a', { type: 'deleteTestDevice', application: app, tokenHash: tokenHash('a') });
      set('d', false);
      expect(testDevicePositions(state().devices)).toEqual([1, 2, 3]);
    });
  });
});

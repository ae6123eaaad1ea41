import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AccountAction } from './decide.ts';
import { AT, app, Accounts, createApplication, issueToken } from './testing/accounts.ts';
import { DENIED } from './account-view.ts';

describe('an account', () => {
  let accounts: Accounts;
  beforeEach(() => {
    accounts = new Accounts();
  });

  it.each(['', 'x'.repeat(256)])('refuses the title %j', (title) =>
    expect(() => accounts.do('a', createApplication({ title }))).toThrow('title: '),
  );

  it('replaces the settings of a platform and enables it (R-A1)', () => {
    accounts.do('a', createApplication());
    const configure = (settings: Record<string, string>): AccountAction => ({
      type: 'configurePlatform',
      application: app,
      platform: 1,
      settings,
      sealed: { ios_key_file: new Uint8Array([1]) },
      disabled: false,
    });
    accounts.do('a', configure({ ios_gateway: '1', ios_framework: 'native' }));
    accounts.do('a', configure({ ios_gateway: '0' }));
    expect(accounts.application().platforms).toMatchObject([
      { platform: 1, enabled: true, credentialVersion: 2, settings: { ios_gateway: '0' } },
    ]);
    expect(() => accounts.do('b', configure({}))).toThrow(DENIED);
  });

  it('updates the given fields only (R-B2)', () => {
    accounts.do('a', createApplication({ icon: 'old' }));
    const update = (more: Partial<AccountAction & { type: 'updateApplication' }>): AccountAction => ({
      type: 'updateApplication',
      application: app,
      ...more,
    });
    accounts.do('a', update({ title: 'New', sdkIos: 'corona' }));
    expect(accounts.application()).toMatchObject({ title: 'New', icon: 'old', sdkIos: 'corona', sdkAndroid: 'pw' });
    expect(accounts.do('a', update({ title: 'New' }))).toEqual([]);
    expect(() => accounts.do('a', update({ title: '' }))).toThrow('title: ');
    expect(() => accounts.do('b', update({ title: 'x' }))).toThrow(DENIED);
  });

  it('switches platforms, configured or not (R-S5)', () => {
    accounts.do('a', createApplication());
    const enable = (platform: number, enabled: boolean): AccountAction => ({
      type: 'setPlatformStatus',
      application: app,
      platform,
      enabled,
    });
    expect(accounts.do('a', enable(1, false))).toEqual([]);
    accounts.do('a', enable(1, true));
    expect(accounts.do('a', enable(1, true))).toEqual([]);
    expect(accounts.application().platforms).toEqual([
      { platform: 1, enabled: true, credentialVersion: 0, settings: {}, sealed: {} },
    ]);
    const configure = {
      type: 'configurePlatform',
      application: app,
      platform: 1,
      settings: { ios_gateway: '1' },
      sealed: {},
      disabled: false,
    } as const;
    accounts.do('a', configure);
    accounts.do('a', enable(1, false));
    expect(accounts.application().platforms).toMatchObject([
      { enabled: false, credentialVersion: 1, settings: { ios_gateway: '1' } },
    ]);
    accounts.do('a', configure);
    expect(accounts.application().platforms).toMatchObject([{ enabled: true, credentialVersion: 2 }]);
    accounts.do('a', { ...configure, disabled: true });
    expect(accounts.application().platforms).toMatchObject([{ enabled: false, credentialVersion: 3 }]);
  });

  it('deletes an application permanently, with everything in it (R-B2)', () => {
    accounts.do('a', issueToken());
    accounts.do('a', createApplication({ icon: 'i', token: 't1' }));
    accounts.do('a', { type: 'setDebug', application: app, on: true });
    expect(accounts.do('a', { type: 'purgeApplication', application: app })).toEqual([]);
    expect(() => accounts.do('b', { type: 'deleteApplication', application: app })).toThrow(DENIED);
    accounts.do('a', { type: 'deleteApplication', application: app });
    expect(accounts.application()).toEqual({
      kind: 'application',
      account: 'a',
      code: app,
      createdAt: AT,
      deletedAt: AT,
      title: '',
      icon: '',
      sdkIos: '',
      sdkAndroid: '',
      authorizeAllTokens: false,
      platforms: [],
    });
    expect(accounts.do('a', { type: 'deleteApplication', application: app })).toEqual([]);
    expect(() => accounts.do('b', { type: 'deleteApplication', application: app })).toThrow(DENIED);
    for (const action of [
      { type: 'setDebug', application: app, on: true },
      { type: 'updateApplication', application: app, title: 'x' },
      { type: 'setPlatformStatus', application: app, platform: 1, enabled: true },
      { type: 'createGroup', code: 'g', name: 'G', applications: [app] },
      issueToken({ id: 't2', applications: [app] }),
    ] satisfies AccountAction[]) {
      expect(() => accounts.do('a', action)).toThrow(DENIED);
    }
    expect(() => accounts.do('a', createApplication())).toThrow('taken');
    expect(accounts.do('b', { type: 'purgeApplication', application: app })).toEqual([]);
    accounts.do('a', { type: 'purgeApplication', application: app });
    expect(accounts.application().purgedAt).toEqual(AT);
    expect(accounts.do('a', { type: 'purgeApplication', application: app })).toEqual([]);
  });

  it('keeps a control group in hundredths of a per cent (R-E15)', () => {
    accounts.do('a', createApplication());
    const set = (percentage: number): AccountAction => ({ type: 'setControlGroup', application: app, percentage });
    accounts.do('a', set(12.34));
    expect(accounts.application().controlBuckets).toBe(1234);
    expect(accounts.do('a', set(12.34))).toEqual([]);
    accounts.do('a', set(0));
    expect(accounts.application().controlBuckets).toBe(0);
    for (const wrong of [-0.01, 100.01, Number.NaN]) expect(() => accounts.do('a', set(wrong))).toThrow('percentage: ');
  });

  it('keeps an application-wide capping (R-I12)', () => {
    accounts.do('a', createApplication());
    const set = (days: number, count: number): AccountAction => ({ type: 'setCapping', application: app, days, count });
    expect(accounts.do('a', set(7, 0))).toEqual([]);
    accounts.do('a', set(7, 3));
    expect(accounts.application().capping).toEqual({ days: 7, count: 3 });
    expect(accounts.do('a', set(7, 3))).toEqual([]);
    accounts.do('a', set(8, 0));
    expect(accounts.application().capping).toBeUndefined();
    for (const days of [0, 31]) expect(() => accounts.do('a', set(days, 1))).toThrow('days: ');
    expect(() => accounts.do('a', set(1, -1))).toThrow('count: ');
  });

  it('stores whether an application sends at most once', () => {
    accounts.do('a', createApplication());
    const set = (on: boolean): AccountAction => ({ type: 'setAtMostOnce', application: app, on });
    expect(accounts.do('a', set(false))).toEqual([]);
    accounts.do('a', set(true));
    expect(accounts.application().atMostOnce).toBe(true);
    expect(accounts.do('a', set(true))).toEqual([]);
    expect(accounts.do('a', set(false))).toHaveLength(1);
    expect(() => accounts.do('b', set(true))).toThrow(DENIED);
  });

  it('stores whether deliveries are tracked by device (R-H18)', () => {
    accounts.do('a', createApplication());
    const set = (on: boolean): AccountAction => ({ type: 'setTracking', application: app, on });
    expect(accounts.do('a', set(true))).toEqual([]);
    expect(accounts.do('a', set(false))).toHaveLength(1);
    expect(accounts.application().trackingOff).toBe(true);
    expect(accounts.do('a', set(false))).toEqual([]);
    accounts.do('a', set(true));
    expect(accounts.application().trackingOff).toBe(false);
    expect(() => accounts.do('b', set(false))).toThrow(DENIED);
  });

  it('stores which calls require a token (R-J1, R-L1)', () => {
    accounts.do('a', createApplication());
    const set = (more: object) => accounts.do('a', { type: 'setTokenRequirements', application: app, ...more });
    expect(set({ inbox: false })).toEqual([]);
    expect(set({ inbox: true })).toHaveLength(1);
    expect(set({ inbox: true, testDevices: true })).toHaveLength(1);
    expect(accounts.application()).toMatchObject({ inboxTokenRequired: true, testDeviceTokenRequired: true });
    expect(set({ inbox: false })).toHaveLength(1);
    expect(accounts.application()).toMatchObject({ inboxTokenRequired: false, testDeviceTokenRequired: true });
  });

  it('enables debug mode for an hour, and disables it', () => {
    accounts.do('a', createApplication());
    accounts.do('a', { type: 'setDebug', application: app, on: true });
    expect(accounts.application().debugUntil).toEqual(new Date('2026-01-01T13:00:00Z'));
    accounts.do('a', { type: 'setDebug', application: app, on: false });
    expect(accounts.application().debugUntil).toBeUndefined();
    expect(() => accounts.do('b', { type: 'setDebug', application: app, on: true })).toThrow(DENIED);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import type { AccountAction } from './decide.ts';
import {
  AT,
  app,
  applicationCreated,
  createApplication,
  event,
  given,
  issueToken,
  tokenIssued,
} from './testing/accounts.ts';
import { DENIED } from './account-view.ts';

const application = app;
const created = applicationCreated();
const updated = (more: { readonly title?: string; readonly sdkIos?: string }) =>
  event('applicationUpdated', { application, ...more });
const statusSet = (platform: number, enabled: boolean) =>
  event('platformStatusSet', { application, platform, enabled });
const debugSet = (until: Date | undefined) => event('debugSet', { application, until });
const deleted = event('applicationDeleted', { application });
const purged = event('applicationPurged', { application });

const configuration = (settings: Record<string, string>, sealed: Record<string, Buffer> = {}) => ({
  application,
  platform: 1,
  settings,
  sealed,
  disabled: false,
});
const configure = (of: ReturnType<typeof configuration>): AccountAction => ({ type: 'configurePlatform', ...of });
const configured = (of: ReturnType<typeof configuration>, credentialVersion: number) =>
  event('platformConfigured', { ...of, credentialVersion });

describe('an account', () => {
  it.each(['', 'x'.repeat(256)])('refuses the title %j', (title) =>
    given().when(createApplication({ title })).thenRefused('title: '),
  );

  it('replaces the settings of a platform and enables it (R-A1)', () => {
    const sealed = { ios_key_file: Buffer.from([1]) };
    const first = configuration({ ios_gateway: '1', ios_framework: 'native' }, sealed);
    const second = configuration({ ios_gateway: '0' }, sealed);
    given(created).when(configure(first)).then(configured(first, 1));
    given(created, configured(first, 1)).when(configure(second)).then(configured(second, 2));
    const after = given(created, configured(first, 1), configured(second, 2));
    expect(after.application().platforms).toMatchObject([
      { platform: 1, enabled: true, credentialVersion: 2, settings: { ios_gateway: '0' } },
    ]);
    after.when(configure(configuration({})), { account: 'b' }).thenRefused(DENIED);
  });

  it('updates the given fields only (R-B2)', () => {
    const before = applicationCreated({ icon: 'old' });
    const update = (more: Partial<AccountAction & { type: 'updateApplication' }>): AccountAction => ({
      type: 'updateApplication',
      application,
      ...more,
    });
    const change = { title: 'New', sdkIos: 'corona' };
    given(before).when(update(change)).then(updated(change));
    const after = given(before, updated(change));
    expect(after.application()).toMatchObject({ title: 'New', icon: 'old', sdkIos: 'corona', sdkAndroid: 'pw' });
    after.when(update({ title: 'New' })).then();
    after.when(update({ title: '' })).thenRefused('title: ');
    after.when(update({ title: 'x' }), { account: 'b' }).thenRefused(DENIED);
  });

  it('switches platforms, configured or not (R-S5)', () => {
    const enable = (platform: number, enabled: boolean): AccountAction => ({
      type: 'setPlatformStatus',
      application,
      platform,
      enabled,
    });
    given(created).when(enable(1, false)).then();
    given(created).when(enable(1, true)).then(statusSet(1, true));
    const enabled = given(created, statusSet(1, true));
    enabled.when(enable(1, true)).then();
    expect(enabled.application().platforms).toEqual([
      { platform: 1, enabled: true, credentialVersion: 0, settings: {}, sealed: {} },
    ]);
    const settings = configuration({ ios_gateway: '1' });
    enabled.when(configure(settings)).then(configured(settings, 1));
    const past = [created, statusSet(1, true), configured(settings, 1)];
    given(...past)
      .when(enable(1, false))
      .then(statusSet(1, false));
    const disabled = given(...past, statusSet(1, false));
    expect(disabled.application().platforms).toMatchObject([
      { enabled: false, credentialVersion: 1, settings: { ios_gateway: '1' }, configuredAt: AT },
    ]);
    disabled.when(configure(settings)).then(configured(settings, 2));
    const again = given(...past, statusSet(1, false), configured(settings, 2));
    expect(again.application().platforms).toMatchObject([{ enabled: true, credentialVersion: 2, configuredAt: AT }]);
    const off = { ...settings, disabled: true };
    again.when(configure(off)).then(configured(off, 3));
    const last = given(...past, statusSet(1, false), configured(settings, 2), configured(off, 3));
    expect(last.application().platforms).toMatchObject([{ enabled: false, credentialVersion: 3 }]);
  });

  it('deletes an application permanently, with everything in it (R-B2)', () => {
    const [remove, purge] = [
      { type: 'deleteApplication', application },
      { type: 'purgeApplication', application },
    ] as const;
    const past: AccountEvent[] = [
      tokenIssued(),
      applicationCreated({ icon: 'i', token: 't1' }),
      debugSet(new Date('2026-01-01T13:00:00Z')),
    ];
    given(...past)
      .when(purge)
      .then();
    given(...past)
      .when(remove, { account: 'b' })
      .thenRefused(DENIED);
    given(...past)
      .when(remove)
      .then(deleted);
    const after = given(...past, deleted);
    expect(after.application()).toEqual({
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
    after.when(remove).then();
    after.when(remove, { account: 'b' }).thenRefused(DENIED);
    for (const action of [
      { type: 'setDebug', application, on: true },
      { type: 'updateApplication', application, title: 'x' },
      { type: 'setPlatformStatus', application, platform: 1, enabled: true },
      { type: 'createGroup', code: 'g', name: 'G', applications: [app] },
      issueToken({ id: 't2', applications: [app] }),
    ] satisfies AccountAction[]) {
      after.when(action).thenRefused(DENIED);
    }
    after.when(createApplication()).thenRefused('taken');
    after.when(purge, { account: 'b' }).then();
    after.when(purge).then(purged);
    const last = given(...past, deleted, purged);
    expect(last.application().purgedAt).toEqual(AT);
    last.when(purge).then();
  });

  it('keeps a control group in hundredths of a per cent (R-E15)', () => {
    const set = (percentage: number): AccountAction => ({ type: 'setControlGroup', application, percentage });
    const groupSet = (buckets: number) => event('controlGroupSet', { application, buckets });
    given(created).when(set(12.34)).then(groupSet(1234));
    const after = given(created, groupSet(1234));
    expect(after.application().controlBuckets).toBe(1234);
    after.when(set(12.34)).then();
    after.when(set(0)).then(groupSet(0));
    const without = given(created, groupSet(1234), groupSet(0));
    expect(without.application().controlBuckets).toBe(0);
    for (const wrong of [-0.01, 100.01, Number.NaN]) without.when(set(wrong)).thenRefused('percentage: ');
  });

  it('keeps an application-wide capping (R-I12)', () => {
    const set = (days: number, count: number): AccountAction => ({ type: 'setCapping', application, days, count });
    const cappingSet = (days: number, count: number) => event('cappingSet', { application, days, count });
    given(created).when(set(7, 0)).then();
    given(created).when(set(7, 3)).then(cappingSet(7, 3));
    const after = given(created, cappingSet(7, 3));
    expect(after.application().capping).toEqual({ days: 7, count: 3 });
    after.when(set(7, 3)).then();
    after.when(set(8, 0)).then(cappingSet(8, 0));
    const without = given(created, cappingSet(7, 3), cappingSet(8, 0));
    expect(without.application().capping).toBeUndefined();
    for (const days of [0, 31]) without.when(set(days, 1)).thenRefused('days: ');
    without.when(set(1, -1)).thenRefused('count: ');
  });

  it('stores whether an application sends at most once', () => {
    const set = (on: boolean): AccountAction => ({ type: 'setAtMostOnce', application, on });
    const atMostOnceSet = (on: boolean) => event('atMostOnceSet', { application, on });
    given(created).when(set(false)).then();
    given(created).when(set(true)).then(atMostOnceSet(true));
    const after = given(created, atMostOnceSet(true));
    expect(after.application().atMostOnce).toBe(true);
    after.when(set(true)).then();
    after.when(set(false)).then(atMostOnceSet(false));
    after.when(set(true), { account: 'b' }).thenRefused(DENIED);
  });

  it('stores whether deliveries are tracked by device (R-H18)', () => {
    const set = (on: boolean): AccountAction => ({ type: 'setTracking', application, on });
    const trackingSet = (on: boolean) => event('trackingSet', { application, on });
    given(created).when(set(true)).then();
    given(created).when(set(false)).then(trackingSet(false));
    const after = given(created, trackingSet(false));
    expect(after.application().trackingOff).toBe(true);
    after.when(set(false)).then();
    after.when(set(true)).then(trackingSet(true));
    expect(given(created, trackingSet(false), trackingSet(true)).application().trackingOff).toBe(false);
    after.when(set(false), { account: 'b' }).thenRefused(DENIED);
  });

  it('stores which calls require a token (R-J1, R-L1)', () => {
    type Requirements = { readonly inbox?: boolean; readonly testDevices?: boolean };
    const set = (more: Requirements): AccountAction => ({ type: 'setTokenRequirements', application, ...more });
    const requirementsSet = (more: Requirements) => event('tokenRequirementsSet', { application, ...more });
    given(created)
      .when(set({ inbox: false }))
      .then();
    given(created)
      .when(set({ inbox: true }))
      .then(requirementsSet({ inbox: true }));
    const past = [created, requirementsSet({ inbox: true })];
    given(...past)
      .when(set({ inbox: true, testDevices: true }))
      .then(requirementsSet({ testDevices: true }));
    const both = given(...past, requirementsSet({ testDevices: true }));
    expect(both.application()).toMatchObject({ inboxTokenRequired: true, testDeviceTokenRequired: true });
    both.when(set({ inbox: false })).then(requirementsSet({ inbox: false }));
    const after = given(...past, requirementsSet({ testDevices: true }), requirementsSet({ inbox: false }));
    expect(after.application()).toMatchObject({ inboxTokenRequired: false, testDeviceTokenRequired: true });
  });

  it('enables debug mode for an hour, and disables it', () => {
    const set = (on: boolean): AccountAction => ({ type: 'setDebug', application, on });
    const until = new Date('2026-01-01T13:00:00Z');
    given(created).when(set(true)).then(debugSet(until));
    const after = given(created, debugSet(until));
    expect(after.application().debugUntil).toEqual(until);
    after.when(set(false)).then(debugSet(undefined));
    expect(given(created, debugSet(until), debugSet(undefined)).application().debugUntil).toBeUndefined();
    after.when(set(true), { account: 'b' }).thenRefused(DENIED);
  });
});

import { Preset, TagType } from '@tidings/events';
import { type AccountEvent, AccessScope } from '@tidings/events/generated/tidings/events/v1/accounts';
import { defaultQuotas } from '@tidings/kernel';
import { isSharedTag, tagTypeOf } from '../default-tags.ts';
import type { AddressAction, AddressState } from './addresses.ts';
import type { CampaignState } from './campaigns.ts';
import type { PresetState } from './presets.ts';
import type { Filter } from './filters.ts';
import type { Application } from './application.ts';
import { type AccountAction, decideAccount } from './decide.ts';
import { type AccessToken, type AccountState, evolveAccountState, targetsOf } from './state.ts';
import type { TagState } from './tags.ts';
import type { TestDevicesState } from './test-devices.ts';
import type { UsageState } from './usage.ts';
import { DENIED } from './view.ts';

const AT = new Date('2026-01-01T12:00:00Z');
const app = 'AAAAA-00001';

/** All accounts' states, as their owner's collections hold them. */
class World {
  readonly states = new Map<string, AccountState>();
  /** Codes of filters that presets use. */
  readonly used = new Set<string>();
  quotas = defaultQuotas;

  do(account: string, action: AccountAction, at = AT): AccountEvent[] {
    const view = {
      account: () => this.states.get(`account ${account}`),
      application: (code: string) => this.states.get(`application ${code}`),
      token: (id: string) => this.states.get(`token ${id}`),
      tag: (name: string) => this.states.get(`tag ${account} ${name}`) as TagState | undefined,
      testDevices: (of: string) => this.states.get(`test devices ${of}`) as TestDevicesState | undefined,
      campaign: (code: string) => this.states.get(`campaign ${code}`) as CampaignState | undefined,
      campaignsNamed: (key: string) =>
        [...this.states.values()].filter(
          (state): state is CampaignState => state.kind === 'campaign' && state.named === key,
        ),
      geozone: () => undefined,
      geozoneCluster: () => undefined,
      preset: (code: string) => this.states.get(`preset ${code}`) as PresetState | undefined,
      filter: (name: string) => this.states.get(`filter ${account} ${name}`) as Filter | undefined,
      hasFilter: () => true,
      isUsed: (code: string) => this.used.has(code),
      address: (address: string) => this.states.get(`address ${account} ${address}`) as AddressState | undefined,
      group: (code: string) => this.states.get(`group ${code}`),
      usage: (owner: string) => this.states.get(`usage ${account} ${owner}`) as UsageState | undefined,
    };
    const events = decideAccount(account, view, action, { at, quotas: this.quotas });
    for (const event of events) {
      for (const target of targetsOf(event)) {
        const key = {
          account: `account ${account}`,
          application: `application ${'code' in target ? target.code : ''}`,
          token: `token ${'id' in target ? target.id : ''}`,
          group: `group ${'code' in target ? target.code : ''}`,
          testDevices: `test devices ${'application' in target ? target.application : ''}`,
          tag: `tag ${account} ${'name' in target ? target.name : ''}`,
          campaign: `campaign ${'code' in target ? target.code : ''}`,
          geozone: '',
          geozoneCluster: '',
          preset: `preset ${'code' in target ? target.code : ''}`,
          address: `address ${account} ${'address' in target ? target.address : ''}`,
          filter: `filter ${account} ${'name' in target ? target.name : ''}`,
          usage: `usage ${account} ${'owner' in target ? target.owner : ''}`,
        }[target.kind];
        this.states.set(key, evolveAccountState(this.states.get(key), event, target.kind));
      }
    }
    return events;
  }
}

const createApplication = (more: Partial<AccountAction & { type: 'createApplication' }> = {}): AccountAction => ({
  type: 'createApplication',
  code: app,
  title: 'App',
  icon: '',
  sdkIos: 'pw',
  sdkAndroid: 'pw',
  authorizeAllTokens: false,
  token: '',
  ...more,
});
const issueToken = (more: Partial<AccountAction & { type: 'issueToken' }> = {}): AccountAction => ({
  type: 'issueToken',
  id: 't1',
  hash: new Uint8Array(32),
  scope: AccessScope.ACCESS_SCOPE_API,
  allApplications: false,
  applications: [],
  ...more,
});
const addTag = (name: string, tagType = TagType.TAG_TYPE_INTEGER, applicationSpecific = false): AccountAction => ({
  type: 'addTag',
  name,
  tagType,
  applicationSpecific,
});

describe('an account', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
    world.do('a', { type: 'createAccount', name: 'A' });
    world.do('b', { type: 'createAccount', name: 'B' });
  });
  const application = () => world.states.get(`application ${app}`) as Application;
  const token = () => world.states.get('token t1') as AccessToken;

  it('is created once', () => {
    expect(world.do('a', { type: 'createAccount', name: 'again' })).toEqual([]);
    expect(() => world.do('nobody', createApplication())).toThrow('Account not found');
  });

  it('grants an application to the token that created it (R-T2)', () => {
    world.do('a', issueToken());
    world.do('a', createApplication({ token: 't1' }));
    expect(token().applications).toEqual([app]);
    expect(application()).toMatchObject({ account: 'a', title: 'App', platforms: [] });
    expect(() => world.do('a', createApplication())).toThrow('taken');
  });

  it('grants nothing to a token of another account, or a revoked one', () => {
    world.do('b', issueToken());
    world.do('a', createApplication({ token: 't1' }));
    expect(token().applications).toEqual([]);
  });

  it.each(['', 'x'.repeat(256)])('refuses the title %j', (title) =>
    expect(() => world.do('a', createApplication({ title }))).toThrow('title: '),
  );

  it('issues tokens for its own applications only', () => {
    world.do('a', createApplication());
    expect(() => world.do('b', issueToken({ applications: [app] }))).toThrow(DENIED);
    world.do('a', issueToken({ applications: [app, app] }));
    expect(token()).toMatchObject({ applications: [app], revoked: false, createdAt: AT });
  });

  it('limits a live token of its own, and takes the limit away (R-LM2)', () => {
    world.do('a', issueToken());
    const limit = (requests: number, seconds: number): AccountAction => ({
      ...{ type: 'limitToken', id: 't1' },
      rateLimit: requests === 0 ? undefined : { requests, seconds },
    });
    expect(world.do('a', limit(0, 1))).toEqual([]);
    expect(world.do('a', limit(5, 1))).toHaveLength(1);
    expect(world.do('a', limit(5, 1))).toEqual([]);
    expect(token().rateLimit).toEqual({ requests: 5, seconds: 1 });
    expect(() => world.do('b', limit(1, 1))).toThrow('Token not found');
    world.do('a', limit(0, 1));
    expect(token().rateLimit).toBeUndefined();
    world.do('a', { type: 'revokeToken', id: 't1' });
    expect(() => world.do('a', limit(5, 1))).toThrow('Token not found');
  });

  it('revokes a token once, and only its own', () => {
    world.do('a', issueToken());
    expect(world.do('b', { type: 'revokeToken', id: 't1' })).toEqual([]);
    world.do('a', { type: 'revokeToken', id: 't1' });
    expect(token().revoked).toBe(true);
    expect(world.do('a', { type: 'revokeToken', id: 't1' })).toEqual([]);
  });

  it('replaces the settings of a platform and enables it (R-A1)', () => {
    world.do('a', createApplication());
    const configure = (settings: Record<string, string>): AccountAction => ({
      type: 'configurePlatform',
      application: app,
      platform: 1,
      settings,
      sealed: { ios_key_file: new Uint8Array([1]) },
      disabled: false,
    });
    world.do('a', configure({ ios_gateway: '1', ios_framework: 'native' }));
    world.do('a', configure({ ios_gateway: '0' }));
    expect(application().platforms).toMatchObject([
      { platform: 1, enabled: true, credentialVersion: 2, settings: { ios_gateway: '0' } },
    ]);
    expect(() => world.do('b', configure({}))).toThrow(DENIED);
  });

  it('updates what is given and leaves the rest (R-B2)', () => {
    world.do('a', createApplication({ icon: 'old' }));
    const update = (more: Partial<AccountAction & { type: 'updateApplication' }>): AccountAction => ({
      type: 'updateApplication',
      application: app,
      ...more,
    });
    world.do('a', update({ title: 'New', sdkIos: 'corona' }));
    expect(application()).toMatchObject({ title: 'New', icon: 'old', sdkIos: 'corona', sdkAndroid: 'pw' });
    expect(world.do('a', update({ title: 'New' }))).toEqual([]);
    expect(() => world.do('a', update({ title: '' }))).toThrow('title: ');
    expect(() => world.do('b', update({ title: 'x' }))).toThrow(DENIED);
  });

  it('switches platforms, configured or not (R-S5)', () => {
    world.do('a', createApplication());
    const enable = (platform: number, enabled: boolean): AccountAction => ({
      type: 'setPlatformStatus',
      application: app,
      platform,
      enabled,
    });
    expect(world.do('a', enable(1, false))).toEqual([]);
    world.do('a', enable(1, true));
    expect(world.do('a', enable(1, true))).toEqual([]);
    expect(application().platforms).toEqual([
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
    world.do('a', configure);
    world.do('a', enable(1, false));
    expect(application().platforms).toMatchObject([
      { enabled: false, credentialVersion: 1, settings: { ios_gateway: '1' } },
    ]);
    world.do('a', configure);
    expect(application().platforms).toMatchObject([{ enabled: true, credentialVersion: 2 }]);
    world.do('a', { ...configure, disabled: true });
    expect(application().platforms).toMatchObject([{ enabled: false, credentialVersion: 3 }]);
  });

  it('deletes an application for good, with everything that it held (R-B2)', () => {
    world.do('a', issueToken());
    world.do('a', createApplication({ icon: 'i', token: 't1' }));
    world.do('a', { type: 'setDebug', application: app, on: true });
    expect(world.do('a', { type: 'purgeApplication', application: app })).toEqual([]);
    expect(() => world.do('b', { type: 'deleteApplication', application: app })).toThrow(DENIED);
    world.do('a', { type: 'deleteApplication', application: app });
    expect(application()).toEqual({
      ...{ kind: 'application', account: 'a', code: app, createdAt: AT, deletedAt: AT },
      ...{ title: '', icon: '', sdkIos: '', sdkAndroid: '', authorizeAllTokens: false, platforms: [] },
    });
    expect(world.do('a', { type: 'deleteApplication', application: app })).toEqual([]);
    expect(() => world.do('b', { type: 'deleteApplication', application: app })).toThrow(DENIED);
    for (const action of [
      { type: 'setDebug', application: app, on: true },
      { type: 'updateApplication', application: app, title: 'x' },
      { type: 'setPlatformStatus', application: app, platform: 1, enabled: true },
      { type: 'createGroup', code: 'g', name: 'G', applications: [app] },
      issueToken({ id: 't2', applications: [app] }),
    ] satisfies AccountAction[]) {
      expect(() => world.do('a', action)).toThrow(DENIED);
    }
    expect(() => world.do('a', createApplication())).toThrow('taken');
    expect(world.do('b', { type: 'purgeApplication', application: app })).toEqual([]);
    world.do('a', { type: 'purgeApplication', application: app });
    expect(application().purgedAt).toEqual(AT);
    expect(world.do('a', { type: 'purgeApplication', application: app })).toEqual([]);
  });

  it('keeps a control group in hundredths of a per cent (R-E15)', () => {
    world.do('a', createApplication());
    const set = (percentage: number): AccountAction => ({ type: 'setControlGroup', application: app, percentage });
    world.do('a', set(12.34));
    expect(application().controlBuckets).toBe(1234);
    expect(world.do('a', set(12.34))).toEqual([]);
    world.do('a', set(0));
    expect(application().controlBuckets).toBe(0);
    for (const wrong of [-0.01, 100.01, Number.NaN]) expect(() => world.do('a', set(wrong))).toThrow('percentage: ');
  });

  it('keeps an application-wide capping (R-I12)', () => {
    world.do('a', createApplication());
    const set = (days: number, count: number): AccountAction => ({ type: 'setCapping', application: app, days, count });
    expect(world.do('a', set(7, 0))).toEqual([]);
    world.do('a', set(7, 3));
    expect(application().capping).toEqual({ days: 7, count: 3 });
    expect(world.do('a', set(7, 3))).toEqual([]);
    world.do('a', set(8, 0));
    expect(application().capping).toBeUndefined();
    for (const days of [0, 31]) expect(() => world.do('a', set(days, 1))).toThrow('days: ');
    expect(() => world.do('a', set(1, -1))).toThrow('count: ');
  });

  it('is told what becomes of what may have been sent', () => {
    world.do('a', createApplication());
    const set = (on: boolean): AccountAction => ({ type: 'setAtMostOnce', application: app, on });
    expect(world.do('a', set(false))).toEqual([]);
    world.do('a', set(true));
    expect(application().atMostOnce).toBe(true);
    expect(world.do('a', set(true))).toEqual([]);
    expect(world.do('a', set(false))).toHaveLength(1);
    expect(() => world.do('b', set(true))).toThrow(DENIED);
  });

  it('is told whether deliveries are told apart by device (R-H18)', () => {
    world.do('a', createApplication());
    const set = (on: boolean): AccountAction => ({ type: 'setTracking', application: app, on });
    expect(world.do('a', set(true))).toEqual([]);
    expect(world.do('a', set(false))).toHaveLength(1);
    expect(application().trackingOff).toBe(true);
    expect(world.do('a', set(false))).toEqual([]);
    world.do('a', set(true));
    expect(application().trackingOff).toBe(false);
    expect(() => world.do('b', set(false))).toThrow(DENIED);
  });

  it('has a plan', () => {
    const set = (emailOnly: boolean): AccountAction => ({ type: 'setPlan', emailOnly });
    expect(world.do('a', set(false))).toEqual([]);
    expect(world.do('a', set(true))).toHaveLength(1);
    expect(world.do('a', set(true))).toEqual([]);
    expect(world.states.get('account a')).toMatchObject({ name: 'A', emailOnly: true });
    expect(() => world.do('nobody', set(true))).toThrow('Account not found');
  });

  it('groups applications of its own (R-I2)', () => {
    world.do('a', createApplication());
    const group = { type: 'createGroup', code: 'g', name: 'Europe', applications: [app, app] } as const;
    expect(() => world.do('b', group)).toThrow(DENIED);
    expect(() => world.do('a', { ...group, applications: [] })).toThrow('applications: must not be empty');
    world.do('a', group);
    expect(world.states.get('group g')).toMatchObject({ account: 'a', name: 'Europe', applications: [app] });
    expect(() => world.do('a', group)).toThrow('taken');
  });

  it('makes presets for its applications and groups alone (Spec K)', () => {
    world.do('a', createApplication());
    world.do('a', { type: 'createGroup', code: 'g', name: 'Europe', applications: [app] });
    const create = (of: Partial<Preset>): AccountAction => ({
      type: 'createPreset',
      preset: Preset.fromPartial({ code: 'p', name: 'P', ...of }),
    });
    for (const [account, of] of [
      ['b', { application: app }],
      ['b', { group: 'g' }],
      ['a', { group: 'h' }],
      ['a', {}],
    ] as const) {
      expect(() => world.do(account, create(of))).toThrow(DENIED);
    }
    expect(world.do('a', create({ group: 'g' }))).toHaveLength(1);
  });

  it('replaces its categories of e-mail (R-E13)', () => {
    const set = (...categories: string[]): AccountAction => ({ type: 'setCategories', categories });
    world.do('a', set('News', 'Offers', 'News'));
    expect(world.states.get('account a')).toMatchObject({ categories: ['News', 'Offers'] });
    expect(world.do('a', set('News', 'Offers'))).toEqual([]);
    expect(world.do('a', set('Offers', 'News'))).toHaveLength(1);
    expect(() => world.do('a', set(''))).toThrow('categories: ');
  });

  it('issues tokens that end', () => {
    const expiresAt = new Date(AT.getTime() + 1);
    world.do('a', issueToken({ expiresAt }));
    expect(token().expiresAt).toEqual(expiresAt);
    expect(() => world.do('a', issueToken({ id: 't2', expiresAt: AT }))).toThrow('expires_at: ');
  });

  it('turns debug mode on for an hour, and off', () => {
    world.do('a', createApplication());
    world.do('a', { type: 'setDebug', application: app, on: true });
    expect(application().debugUntil).toEqual(new Date('2026-01-01T13:00:00Z'));
    world.do('a', { type: 'setDebug', application: app, on: false });
    expect(application().debugUntil).toBeUndefined();
    expect(() => world.do('b', { type: 'setDebug', application: app, on: true })).toThrow(DENIED);
  });

  it('numbers its tags so that the number tells type and reach', () => {
    world.do('a', addTag(' Level '));
    world.do('a', addTag('level', TagType.TAG_TYPE_LIST, true));
    world.do('b', addTag('Level'));
    const tag = (account: string, name: string) => world.states.get(`tag ${account} ${name}`) as TagState;
    expect(tagTypeOf(tag('a', 'Level').number)).toBe(TagType.TAG_TYPE_INTEGER);
    expect(isSharedTag(tag('a', 'Level').number)).toBe(true);
    expect(tagTypeOf(tag('a', 'level').number)).toBe(TagType.TAG_TYPE_LIST);
    expect(isSharedTag(tag('a', 'level').number)).toBe(false);
    expect(tag('b', 'Level').number).toBe(tag('a', 'Level').number);
  });

  it.each([
    ['Level', TagType.TAG_TYPE_STRING, 'Tag already exists'],
    ['Language', TagType.TAG_TYPE_STRING, 'Tag already exists'],
    ['New', 8 as TagType, 'tag.type: must be 1 to 7'],
    ['  ', TagType.TAG_TYPE_STRING, 'tag.name: '],
    ['x'.repeat(256), TagType.TAG_TYPE_STRING, 'tag.name: '],
  ])('refuses the tag %j of type %s', (name, type, text) => {
    world.do('a', addTag('Level'));
    expect(() => world.do('a', addTag(name, type))).toThrow(text);
  });

  it('deletes a tag, whose number is never used again, and clears it once', () => {
    world.do('a', addTag('Level'));
    const number = (world.states.get('tag a Level') as TagState).number;
    world.do('a', { type: 'deleteTag', name: 'Level' });
    expect(() => world.do('a', { type: 'deleteTag', name: 'Level' })).toThrow('Tag not found');
    expect(() => world.do('a', { type: 'deleteTag', name: 'Language' })).toThrow('Tag is a default tag');
    world.do('a', addTag('Level'));
    expect((world.states.get('tag a Level') as TagState).number).not.toBe(number);
    expect(world.states.get('account a')).toMatchObject({ tagsMade: 2, tagsDeleted: 1, clearing: [number] });
    expect(world.do('a', { type: 'clearTag', number })).toHaveLength(1);
    expect(world.do('a', { type: 'clearTag', number })).toEqual([]);
  });

  it('keeps test devices by push token, at most 100 (R-L1, R-LM7)', () => {
    world.do('a', createApplication());
    const set = (pushToken: string, name = 'x') =>
      world.do('a', {
        type: 'setTestDevice',
        application: app,
        device: { pushToken, platform: 3, name, description: '' },
      });
    for (let i = 0; i < 100; i++) set(`t${i}`);
    expect(() => set('one more')).toThrow('Test device limit reached (100)');
    expect(set('t7', 'renamed')).toHaveLength(1);
    expect(set('t7', 'renamed')).toEqual([]);
    const { devices } = world.states.get(`test devices ${app}`) as TestDevicesState;
    expect(devices).toHaveLength(100);
    expect(devices[7]).toMatchObject({ pushToken: 't7', name: 'renamed' });
    expect(() => set('t7', 'x'.repeat(3 << 20))).toThrow('test devices: at most 3 MiB');
  });

  const createFilter = (more: Partial<AccountAction & { type: 'createFilter' }> = {}): AccountAction => ({
    type: 'createFilter',
    code: '52551-F2F42',
    name: 'Regulars',
    text: 'T("Level", EQ, 1)',
    expression: { node: { $case: 'any', value: { of: [] } } },
    nesting: 0,
    application: '',
    expiresAt: undefined,
    ...more,
  });
  const filter = (account = 'a') => world.states.get(`filter ${account} Regulars`) as Filter;

  it('keeps a filter under its name, which is free again when it is deleted', () => {
    world.do('a', createFilter());
    world.do('b', createFilter());
    expect(filter()).toMatchObject({ live: true, code: '52551-F2F42', text: 'T("Level", EQ, 1)', createdAt: AT });
    expect(() => world.do('a', createFilter({ code: '00000-00000' }))).toThrow('Filter already exists');
    world.do('a', { type: 'deleteFilter', name: 'Regulars', code: '52551-F2F42' });
    expect(filter()).toEqual({ kind: 'filter', account: 'a', live: false });
    expect(filter('b').live).toBe(true);
    expect(() => world.do('a', { type: 'deleteFilter', name: 'Regulars', code: '52551-F2F42' })).toThrow(
      'Filter not found',
    );
    world.do('a', createFilter({ code: '00000-00000' }));
    expect(filter()).toMatchObject({ live: true, code: '00000-00000' });
  });

  it('lets filters expire on their day, and no sooner', () => {
    const today = new Date('2026-01-01T00:00:00Z');
    const tomorrow = new Date('2026-01-02T00:00:00Z');
    expect(() => world.do('a', createFilter({ expiresAt: today }))).toThrow('expiration_date: must be in the future');
    world.do('a', createFilter({ expiresAt: tomorrow }));
    const expire: AccountAction = { type: 'expireFilter', name: 'Regulars', code: '52551-F2F42' };
    expect(world.do('a', expire)).toEqual([]);
    expect(world.do('a', expire, tomorrow)).toHaveLength(1);
    expect(filter().live).toBe(false);
    expect(world.do('a', expire, tomorrow)).toEqual([]);
  });

  it('keeps a filter while a preset uses it (R-N1, R-N3)', () => {
    const tomorrow = new Date('2026-01-02T00:00:00Z');
    world.do('a', createFilter({ expiresAt: tomorrow }));
    world.used.add('52551-F2F42');
    const named = { name: 'Regulars', code: '52551-F2F42' };
    expect(() => world.do('a', { type: 'deleteFilter', ...named })).toThrow('Filter is used by a preset');
    expect(world.do('a', { type: 'expireFilter', ...named }, tomorrow)).toEqual([]);
    world.used.clear();
    expect(world.do('a', { type: 'expireFilter', ...named }, tomorrow)).toHaveLength(1);
  });

  it.each([
    [{ name: '' }, 'name: must be 1 to 255 characters'],
    [{ name: 'x'.repeat(256) }, 'name: must be 1 to 255 characters'],
    [{ application: 'BBBBB-00001' }, DENIED],
  ])('refuses the filter %j', (more, text) => expect(() => world.do('a', createFilter(more))).toThrow(text));

  it('keeps addresses that no mail goes to, for itself alone, since the first time (R-E5)', () => {
    const later = new Date('2026-01-02T00:00:00Z');
    const list: AccountAction = { type: 'blacklistAddress', address: 'hash' };
    const clear: AccountAction = { type: 'clearAddress', address: 'hash' };
    const address = () => world.states.get('address a hash') as AddressState;
    expect(() => world.do('a', clear)).toThrow('Address is not blacklisted');
    expect(world.do('a', list)).toHaveLength(1);
    expect(world.do('a', list, later)).toEqual([]);
    expect(address()).toEqual({ kind: 'address', account: 'a', address: 'hash', since: AT });
    expect(() => world.do('b', clear)).toThrow('Address is not blacklisted');
    world.do('a', clear);
    expect(address()).toEqual({ kind: 'address', account: 'a', address: 'hash' });
    expect(() => world.do('a', clear)).toThrow('Address is not blacklisted');
    world.do('a', list, later);
    expect(address().since).toEqual(later);
    expect(() => world.do('nobody', list)).toThrow('Account not found');
  });

  it('keeps complaints of addresses beside the blacklist, each for itself (R-E14)', () => {
    const later = new Date('2026-01-02T00:00:00Z');
    const on = (type: AddressAction['type'], at = AT) => world.do('a', { type, address: 'hash' }, at);
    const address = () => world.states.get('address a hash') as AddressState;
    expect(() => on('clearComplaint')).toThrow('Address has no complaint');
    expect(on('recordComplaint')).toHaveLength(1);
    expect(on('recordComplaint', later)).toEqual([]);
    on('blacklistAddress', later);
    expect(address()).toEqual({ kind: 'address', account: 'a', address: 'hash', since: later, complained: AT });
    on('clearAddress');
    expect(address().complained).toEqual(AT);
    on('blacklistAddress', later);
    on('clearComplaint');
    expect(address()).toEqual({ kind: 'address', account: 'a', address: 'hash', since: later });
    expect(() => on('clearComplaint')).toThrow('Address has no complaint');
    expect(() => world.do('nobody', { type: 'recordComplaint', address: 'hash' })).toThrow('Account not found');
  });

  it('lets mail come from verified addresses only, where an operator wants that (R-A5)', () => {
    world.do('a', createApplication());
    const configure = (email_from_email: string, email_reply: string, platform = 14) =>
      world.do('a', {
        ...{ type: 'configurePlatform', application: app, platform, sealed: {}, disabled: false },
        settings: { email_from_email, email_from_name: 'News', email_reply },
      });
    expect(configure('a@example.com', 'b@example.com')).toHaveLength(1);
    const required: AccountAction = {
      type: 'setSenders',
      required: true,
      verified: ['A@example.com', 'a@example.com'],
    };
    expect(world.do('a', required)[0]!.event).toEqual({
      $case: 'sendersSet',
      value: { required: true, verified: ['a@example.com'] },
    });
    expect(world.do('a', required)).toEqual([]);
    expect(() => configure('b@example.com', 'b@example.com')).toThrow('email_from_email: address is not verified');
    expect(() => configure('A@Example.com', 'b@example.com')).toThrow('email_reply: address is not verified');
    expect(configure('A@Example.com', 'a@example.com')).toHaveLength(1);
    expect(configure('b@example.com', 'b@example.com', 18)).toHaveLength(1);
    world.do('a', { ...required, required: false });
    expect(configure('b@example.com', 'b@example.com')).toHaveLength(1);
  });
});

import { type Geozone, Preset } from '@tidings/events';
import type { Application } from './application.ts';
import { clearOrphans, type Orphans } from './orphans.ts';
import type { AccountView } from './account-view.ts';

const APP = 'AAAAA-00001';
const OTHER = 'AAAAA-00002';

const application = (deletedAt?: Date): Application => ({
  kind: 'application',
  account: 'a',
  code: APP,
  createdAt: new Date(0),
  ...(deletedAt && { deletedAt }),
  title: '',
  icon: '',
  sdkIos: '',
  sdkAndroid: '',
  authorizeAllTokens: false,
  platforms: [],
});
/** Whatever ends in 1 belongs to the application, in 2 to another, in 3 is deleted. */
const viewOf = (owner: Application | undefined, testDevices = 1): AccountView => {
  const of = (id: string) => ({
    application: id.endsWith('2') ? OTHER : APP,
    deleted: id.endsWith('3'),
  });
  const named = (code: string) => ({ account: 'a', code, ...of(code) });
  const device = { pushToken: 't', platform: 1, name: 'n', description: '' };
  return {
    account: () => undefined,
    application: () => owner,
    token: () => undefined,
    tag: () => undefined,
    address: () => undefined,
    group: () => undefined,
    usage: () => undefined,
    campaignsNamed: () => [],
    hasFilter: () => true,
    isUsed: () => true,
    testDevices: () => ({
      kind: 'testDevices',
      account: 'a',
      application: APP,
      devices: Array.from({ length: testDevices }, () => device),
    }),
    campaign: (code) => ({ kind: 'campaign', id: 1, name: 'c', description: '', named: 'k', ...named(code) }),
    preset: (code) => ({
      kind: 'preset',
      filter: 'F',
      ...named(code),
      preset: Preset.fromPartial({ application: of(code).application }),
    }),
    geozone: (id) => {
      const { application: owned, deleted } = of(String(id));
      return { kind: 'geozone', account: 'a', deleted, zone: { id, application: owned } as Geozone };
    },
    geozoneCluster: (code) => {
      const { application: owned, deleted } = of(code);
      const cluster = { code, application: owned, name: '', cooldownSeconds: 0 };
      return { kind: 'geozoneCluster', account: 'a', deleted, cluster };
    },
    filter: (name) => {
      const { application: owned, deleted } = of(name);
      if (deleted) return { kind: 'filter', account: 'a', live: false };
      const details = { code: 'F', name, text: '', expression: new Uint8Array(), nesting: 0 };
      return { kind: 'filter', account: 'a', live: true, ...details, application: owned, createdAt: new Date(0) };
    },
  };
};
const all = (kind: string) => [1, 2, 3].map((n) => `${kind}${n}`);
const orphans: Orphans = {
  presets: all('P'),
  campaigns: all('C'),
  filters: all('F'),
  clusters: all('G'),
  geozones: [1n, 2n, 3n],
};
const clear = (view: AccountView, account = 'a') =>
  clearOrphans(account, view, { type: 'clearOrphans', application: APP, orphans });

describe('clearOrphans (R-B2)', () => {
  it('deletes only the data of the deleted application', () => {
    expect(clear(viewOf(application(new Date(1))))).toEqual([
      { $case: 'presetDeleted', value: { preset: 'P1', owner: APP } },
      { $case: 'campaignDeleted', value: { campaign: 'C1' } },
      { $case: 'geozoneDeleted', value: { zone: 1n, application: APP } },
      { $case: 'geozoneClusterDeleted', value: { cluster: 'G1' } },
      { $case: 'filterDeleted', value: { name: 'F1', application: APP } },
      { $case: 'testDevicesRemoved', value: { application: APP } },
    ]);
  });

  it('deletes nothing of an existing application, or of another account', () => {
    expect(clear(viewOf(application()))).toEqual([]);
    expect(clear(viewOf(undefined))).toEqual([]);
    expect(clear(viewOf(application(new Date(1))), 'b')).toEqual([]);
  });

  it('deletes presets of groups without applications', () => {
    const view = viewOf(application(new Date(1)));
    const preset = (code: string) => ({
      ...({ kind: 'preset', account: 'a', code, application: '', filter: '', deleted: code === 'P3' } as const),
      preset: Preset.fromPartial({ group: 'G' }),
    });
    expect(clear({ ...view, preset }).slice(0, 3)).toEqual([
      { $case: 'presetDeleted', value: { preset: 'P1', owner: 'G' } },
      { $case: 'presetDeleted', value: { preset: 'P2', owner: 'G' } },
      { $case: 'campaignDeleted', value: { campaign: 'C1' } },
    ]);
  });

  it('does not report missing test devices again', () => {
    expect(clear(viewOf(application(new Date(1)), 0)).map(({ $case }) => $case)).not.toContain('testDevicesRemoved');
  });
});

import { type Geozone, Preset } from '@tidings/events';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { type CampaignState, evolveCampaign } from './campaigns.ts';
import {
  decideGeozone,
  evolveGeozone,
  evolveGeozoneCluster,
  type GeozoneAction,
  type GeozoneClusterState,
  type GeozoneState,
} from './geozones.ts';
import type { PresetState } from './presets.ts';
import { targetsOf } from './state.ts';

const APP = 'AAAAA-00001';

const zone = (id: number, more: Partial<Geozone> = {}): Geozone => ({
  id: BigInt(id),
  application: '',
  name: `zone ${id}`,
  lat: 1,
  lng: 2,
  rangeMeters: 100,
  cooldownSeconds: 60,
  content: '"Hi"',
  preset: '',
  cluster: '',
  campaignId: 0n,
  timetable: undefined,
  active: true,
  ...more,
});

class World {
  readonly zones = new Map<bigint, GeozoneState>();
  readonly clusters = new Map<string, GeozoneClusterState>();
  readonly campaigns = new Map<string, CampaignState>();
  readonly presets = new Map<string, PresetState>();

  do(action: GeozoneAction, account = 'a'): AccountEvent['event'][] {
    const view = {
      geozone: (id: bigint) => this.zones.get(id),
      geozoneCluster: (code: string) => this.clusters.get(code),
      campaign: (code: string) => this.campaigns.get(code),
      campaignsNamed: () => [],
      preset: (code: string) => this.presets.get(code),
    };
    const changes = decideGeozone(account, view, action);
    for (const event of changes) this.#evolved({ account, at: new Date(0), event });
    return changes;
  }

  #evolved(event: AccountEvent): void {
    for (const target of targetsOf(event)) {
      if (target.kind === 'geozone') {
        this.zones.set(target.number, evolveGeozone(this.zones.get(target.number), event)!);
      } else if (target.kind === 'geozoneCluster') {
        this.clusters.set(target.code, evolveGeozoneCluster(this.clusters.get(target.code), event)!);
      }
    }
  }

  add(...zones: { zone: Geozone; campaign?: string }[]) {
    const drafts = zones.map(({ zone: each, campaign = '' }) => ({ zone: each, campaign }));
    return this.do({ type: 'addGeozones', application: APP, groups: ['G1'], drafts });
  }
}

let world: World;
beforeEach(() => {
  world = new World();
  for (const [code, application] of [
    ['E1', APP],
    ['E2', 'AAAAA-00002'],
  ] as const) {
    world.do({ type: 'addGeozoneCluster', cluster: { code, application, name: 'c', cooldownSeconds: 60 } });
  }
  const campaign = { code: 'C1', id: 17n, application: APP, name: 'Spring', description: '' };
  const created = { $case: 'campaignCreated', value: { campaign } } as const;
  world.campaigns.set('C1', evolveCampaign(undefined, { account: 'a', at: new Date(0), event: created })!);
});

describe('geozones', () => {
  it('are added all or not at all (R-F1, R-F2)', () => {
    expect(() => world.add({ zone: zone(1) }, { zone: zone(2, { cluster: 'E2' }) })).toThrow('Cluster not found');
    expect(() => world.add({ zone: zone(1, { preset: 'D1' }) })).toThrow('Preset not found');
    expect(() => world.add({ zone: zone(1) }, { zone: zone(2), campaign: 'C2' })).toThrow(
      'geozones[1].campaign: not found',
    );
    expect(world.zones.size).toBe(0);
    world.add({ zone: zone(1, { cluster: 'E1' }), campaign: 'C1' }, { zone: zone(2) });
    expect(world.zones.get(1n)?.zone).toEqual(zone(1, { application: APP, cluster: 'E1', campaignId: 17n }));
  });

  it('accept presets of their application', () => {
    const given = Preset.fromPartial({ application: APP });
    const state = { kind: 'preset', account: 'a', code: 'D1', application: APP, deleted: false } as const;
    world.presets.set('D1', { ...state, filter: '', preset: given });
    expect(world.add({ zone: zone(1, { preset: 'D1', content: '' }) })).toHaveLength(1);
  });

  it('accept presets of the groups of their application', () => {
    const made = (code: string, group: string): PresetState => ({
      kind: 'preset',
      account: 'a',
      code,
      application: '',
      filter: '',
      deleted: false,
      preset: Preset.fromPartial({ code, group }),
    });
    world.presets.set('D1', made('D1', 'G1')).set('D2', made('D2', 'G2'));
    world.add({ zone: zone(1, { preset: 'D1' }) });
    expect(() => world.add({ zone: zone(2, { preset: 'D2' }) })).toThrow('Preset not found');
    const change = (preset: string) =>
      world.do({ type: 'changeGeozone', id: 1n, application: APP, groups: ['G2'], patch: { preset } });
    expect(() => change('D1')).toThrow('Preset not found');
    change('D2');
    expect(world.zones.get(1n)?.zone.preset).toBe('D2');
  });

  it('have a content, and are small enough to be stored', () => {
    const content = JSON.stringify('x'.repeat(1 << 20));
    expect(() => world.add({ zone: zone(1) }, { zone: zone(2, { content }) })).toThrow(
      'geozones[1].content: at most 1 MiB',
    );
    world.add({ zone: zone(1) });
    const change = (patch: object) => world.do({ type: 'changeGeozone', id: 1n, application: APP, groups: [], patch });
    expect(() => change({ content })).toThrow('content: at most 1 MiB');
    expect(() => change({ content: '' })).toThrow('content or presetCode is required');
  });

  it('are changed in the given fields only', () => {
    world.add({ zone: zone(1, { cluster: 'E1' }), campaign: 'C1' });
    const change = (patch: object, account = 'a') =>
      world.do({ type: 'changeGeozone', id: 1n, application: APP, groups: [], patch }, account);
    change({ name: 'other', active: false });
    expect(world.zones.get(1n)?.zone).toMatchObject({ name: 'other', active: false, cluster: 'E1', campaignId: 17n });
    change({ cluster: '', campaign: '' });
    expect(world.zones.get(1n)?.zone).toMatchObject({ name: 'other', cluster: '', campaignId: 0n });
    expect(() => change({ cluster: 'E2' })).toThrow('Cluster not found');
    expect(() => change({ campaign: 'C9' })).toThrow('campaign: not found');
    expect(() => change({ name: 'x' }, 'b')).toThrow('Geozone not found');
  });

  it('are deleted all or not at all', () => {
    world.add({ zone: zone(1) }, { zone: zone(2) });
    const remove = (...ids: bigint[]) => world.do({ type: 'deleteGeozones', application: APP, ids });
    expect(() => remove(1n, 3n)).toThrow('Geozone not found');
    expect(remove(1n, 1n)).toHaveLength(1);
    expect(() => remove(1n)).toThrow('Geozone not found');
    expect(world.zones.get(2n)?.deleted).toBe(false);
  });

  it('stay when their cluster is deleted, and the cluster cannot be bound any more (R-F6)', () => {
    world.add({ zone: zone(1, { cluster: 'E1' }) });
    const remove = () => world.do({ type: 'deleteGeozoneCluster', application: APP, code: 'E1' });
    remove();
    expect(remove).toThrow('Cluster not found');
    expect(world.zones.get(1n)?.deleted).toBe(false);
    expect(() => world.add({ zone: zone(2, { cluster: 'E1' }) })).toThrow('Cluster not found');
  });
});

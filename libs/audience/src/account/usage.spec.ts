import { Expression, type Geozone, Preset, TagType } from '@tidings/events';
import { Fault, type Quotas } from '@tidings/kernel';
import fc from 'fast-check';
import { type AccountAction, decideAccount } from './decide.ts';
import { type AccountState, type AccountTarget, evolveAccountState, targetsOf } from './state.ts';
import type { AccountView } from './account-view.ts';

const AT = new Date('2026-01-01T12:00:00Z');
const APP = 'AAAAA-00001';
const GROUP = 'GGGGG-00001';

class World {
  readonly #states = new Map<string, AccountState>();
  readonly #quotas: Quotas;

  constructor(quota = 2) {
    this.#quotas = { applications: 50, tags: quota, testDevices: quota, ...of(quota) };
    this.do({ type: 'createAccount', name: 'a' });
    this.do(createApplication(APP));
    this.do({ type: 'createGroup', code: GROUP, name: 'g', applications: [APP] });
    this.#quotas = { ...this.#quotas, applications: quota + 1 };
  }

  do(action: AccountAction): void {
    const at = (target: AccountTarget) => this.#states.get(JSON.stringify(target, bigintText));
    const view = {
      account: () => at({ kind: 'account' }),
      application: (code) => at({ kind: 'application', code }),
      token: (id) => at({ kind: 'token', id }),
      tag: (name) => at({ kind: 'tag', name }),
      testDevices: (application) => at({ kind: 'testDevices', application }),
      address: (address) => at({ kind: 'address', address }),
      group: (code) => at({ kind: 'group', code }),
      campaign: (code) => at({ kind: 'campaign', code }),
      campaignsNamed: () => [],
      preset: (code) => at({ kind: 'preset', code }),
      geozone: (number) => at({ kind: 'geozone', number }),
      geozoneCluster: (code) => at({ kind: 'geozoneCluster', code }),
      filter: (name) => at({ kind: 'filter', name }),
      hasFilter: () => true,
      isUsed: () => false,
      usage: (owner) => at({ kind: 'usage', owner }),
    } as AccountView;
    for (const event of decideAccount('a', view, action, { at: AT, quotas: this.#quotas })) {
      for (const target of targetsOf(event)) {
        this.#states.set(JSON.stringify(target, bigintText), evolveAccountState(at(target), event, target.kind));
      }
    }
  }
}

const bigintText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
const of = (quota: number) => ({ presets: quota, filters: quota, geozones: quota });

const createApplication = (code: string): AccountAction => ({
  type: 'createApplication',
  code,
  title: 'App',
  icon: '',
  sdkIos: 'pw',
  sdkAndroid: 'pw',
  token: '',
  authorizeAllTokens: false,
});
const createFilter = (name: string, application = ''): AccountAction => ({
  type: 'createFilter',
  code: name,
  name,
  text: '',
  nesting: 0,
  application,
  expiresAt: undefined,
  expression: Expression.fromPartial({}),
});
const createPreset = (code: string, group = ''): AccountAction => ({
  type: 'createPreset',
  preset: Preset.fromPartial({ code, name: 'n', application: group === '' ? APP : '', group }),
});
const zoneOf = (id: number): Geozone => ({
  id: BigInt(id),
  application: '',
  name: 'z',
  lat: 1,
  lng: 2,
  rangeMeters: 100,
  cooldownSeconds: 0,
  content: '"Hi"',
  preset: '',
  cluster: '',
  campaignId: 0n,
  timetable: undefined,
  active: true,
});
const addGeozones = (...ids: number[]): AccountAction => ({
  type: 'addGeozones',
  application: APP,
  groups: [],
  drafts: ids.map((id) => ({ zone: zoneOf(id), campaign: '' })),
});

const things: Readonly<Record<string, readonly [(n: number) => AccountAction, (n: number) => AccountAction]>> = {
  Application: [(n) => createApplication(`N${n}`), (n) => ({ type: 'deleteApplication', application: `N${n}` })],
  Tag: [
    (n) => ({ type: 'addTag', name: `t${n}`, tagType: TagType.TAG_TYPE_STRING, applicationSpecific: true }),
    (n) => ({ type: 'deleteTag', name: `t${n}` }),
  ],
  Preset: [(n) => createPreset(`P${n}`), (n) => ({ type: 'deletePreset', code: `P${n}` })],
  'Preset of a group': [(n) => createPreset(`G${n}`, GROUP), (n) => ({ type: 'deletePreset', code: `G${n}` })],
  Filter: [(n) => createFilter(`f${n}`, APP), (n) => ({ type: 'deleteFilter', name: `f${n}`, code: `f${n}` })],
  'Filter of none': [(n) => createFilter(`u${n}`), (n) => ({ type: 'deleteFilter', name: `u${n}`, code: `u${n}` })],
  Geozone: [(n) => addGeozones(n + 1), (n) => ({ type: 'deleteGeozones', application: APP, ids: [BigInt(n + 1)] })],
};

describe('a quota (R-LM7)', () => {
  it.each(Object.entries(things))('refuses a further %s, and accepts one after a deletion', (name, [make, drop]) => {
    const world = new World();
    world.do(make(0));
    world.do(make(1));
    const text = `${name.split(' ')[0]} limit reached (${name === 'Application' ? 3 : 2})`;
    expect(() => world.do(make(2))).toThrow(Fault.argument(text));
    world.do(drop(0));
    world.do(make(2));
    expect(() => world.do(make(3))).toThrow(text);
  });

  it('accepts things that are created together all or not at all', () => {
    const world = new World();
    world.do(addGeozones(1));
    expect(() => world.do(addGeozones(2, 3))).toThrow('Geozone limit reached (2)');
    world.do(addGeozones(2));
  });

  it('counts each owner separately', () => {
    const world = new World(1);
    for (const [make] of Object.values(things)) world.do(make(0));
    expect(() => world.do(createFilter('f9', APP))).toThrow('Filter limit reached (1)');
    expect(() => world.do(createFilter('u9'))).toThrow('Filter limit reached (1)');
  });

  it('is exact after any sequence of creations and deletions', () => {
    const step = fc.record({
      thing: fc.constantFrom(...Object.keys(things).filter((name) => name !== 'Application')),
      n: fc.integer({ min: 0, max: 4 }),
      isDeletion: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 50, maxLength: 120, size: 'max' }), (steps) => {
        const world = new World(3);
        const there = new Map(Object.keys(things).map((name) => [name, new Set<number>()]));
        // A code is never used again; names are.
        const used = new Set<string>();
        for (const { thing, n, isDeletion } of steps) {
          const [make, drop] = things[thing]!;
          const live = there.get(thing)!;
          const isFree = /^(Tag|Filter)/.test(thing) ? !live.has(n) : !used.has(`${thing} ${n}`);
          if (isDeletion ? !live.has(n) : !isFree) continue;
          if (isDeletion) {
            world.do(drop(n));
            live.delete(n);
          } else if (live.size === 3) {
            expect(() => world.do(make(n))).toThrow(/limit reached \(3\)$/);
          } else {
            world.do(make(n));
            live.add(n);
            used.add(`${thing} ${n}`);
          }
        }
      }),
    );
  });
});

import { TagType } from '@tidings/events';
import { type DeviceEvent, DeviceKeys, TokenRemoval } from '@tidings/events/generated/tidings/events/v1/devices';
import fc from 'fast-check';
import { defaultTags, isSharedTag, type TagDefinition, tagNumber } from '../default-tags.ts';
import { deviceIdOf } from '../identity.ts';
import { parseTagWrite, type TagWrite } from '../tags/operations.ts';
import type { DeviceAction, DeviceDecision } from './action.ts';
import { decide } from './decide.ts';
import { type Device, entriesIn, evolve } from './device.ts';
import type { DeviceIdentity } from './events.ts';

const T0 = Date.UTC(2026, 0, 1, 12);
const MINUTE = T0 / 60_000;
const application = 'AAAAA-00001';
const sibling = 'AAAAA-00002';
const hwidHash = 'p'.repeat(22);

const tag = (index: number, type: TagType, applicationSpecific: boolean): TagDefinition => ({
  name: `tag${index}`,
  number: tagNumber(index, type, applicationSpecific),
  type,
  applicationSpecific,
});
const level = tag(0, TagType.TAG_TYPE_INTEGER, false);
const colour = tag(1, TagType.TAG_TYPE_STRING, true);
const products = tag(2, TagType.TAG_TYPE_LIST, false);

const write = (definition: TagDefinition, input: unknown): TagWrite => {
  const parsed = parseTagWrite(definition, input);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
};

const identity = (app = application): DeviceIdentity => ({
  account: 'default',
  application: app,
  hwidHash,
  hwid: 'h1',
});
const token = (text: string) => ({ text, hash: `hash of ${text}` });

class World {
  readonly devices = new Map<string, Device>();
  clock = T0;

  evolved(events: readonly DeviceEvent[]): void {
    for (const event of events) {
      const id = deviceIdOf(event.application, event.hwidHash);
      this.devices.set(id, evolve(this.devices.get(id), event));
    }
  }

  decide(action: DeviceAction, app = application): DeviceDecision {
    const own = this.devices.get(deviceIdOf(app, hwidHash));
    const siblings = [...this.devices.values()].filter((device) => device.app !== app);
    return decide(identity(app), { own, siblings }, action, this.devices.size + 40, new Date(this.clock));
  }

  do(action: DeviceAction, app = application): DeviceDecision {
    const decision = this.decide(action, app);
    this.evolved(decision.events);
    for (const { id, set, max } of decision.selfReports) {
      const device = this.devices.get(id)!;
      const self = { ...device.self, ...set } as Record<string, number>;
      for (const [name, value] of Object.entries(max ?? {})) self[name] = Math.max(self[name] ?? 0, value);
      this.devices.set(id, { ...device, self });
    }
    return decision;
  }

  device(app = application): Device {
    return this.devices.get(deviceIdOf(app, hwidHash))!;
  }
}

const register = (more: Partial<DeviceAction & { type: 'register' }> = {}): DeviceAction => ({
  type: 'register',
  platform: 3,
  writes: [],
  ...more,
});

const given = (...steps: readonly (DeviceAction | [DeviceAction, string])[]) => {
  const world = new World();
  for (const step of steps) {
    if (Array.isArray(step)) world.do(step[0], step[1]);
    else world.do(step);
  }
  return {
    world,
    at: (minutes: number) => {
      world.clock = T0 + minutes * 60_000;
      return {
        when: (action: DeviceAction, app?: string) => world.do(action, app),
      };
    },
    when: (action: DeviceAction, app?: string) => world.do(action, app),
  };
};

const cases = (decision: DeviceDecision) => decision.events.map(({ application: app, event }) => [app, event?.$case]);

describe('the tokens of live activities', () => {
  const activity = (n: number, text: string | undefined = `token ${n}`): DeviceAction => ({
    type: 'setActivityToken',
    activity: { activityId: `activity ${n}`, activity: `key ${n}`, token: text },
  });
  const kept = (world: World): string[] => world.device().activities?.map(({ token: text }) => text) ?? [];

  it('are limited to the last 20 of a device (R-LM6)', () => {
    const { world } = given(register(), ...Array.from({ length: 25 }, (_, n) => activity(n)));
    expect(kept(world)).toEqual(Array.from({ length: 20 }, (_, i) => `token ${i + 5}`));
    world.do(activity(7, 'renewed'));
    world.do(activity(25));
    expect(kept(world)).toHaveLength(20);
    expect(kept(world).slice(-2)).toEqual(['renewed', 'token 25']);
    expect(kept(world)).not.toContain('token 5');
  });
});

describe('a device that calls before it registers (R-C7)', () => {
  const user = { id: 'u1', hash: 'hash of u1' };
  const early: readonly DeviceAction[] = [
    { type: 'open', platform: 11, user, writes: [write(defaultTags.language, 'de')] },
    { type: 'setTags', platform: 11, writes: [write(defaultTags.language, 'de')] },
    { type: 'bindUser', platform: 11, user, writes: [write(defaultTags.timezone, 3600)] },
  ];

  it.each(early)('is a record without a token after $type, and keeps its data when it registers', (action) => {
    const { world, when } = given(action);
    const before = world.device();
    expect(before).toMatchObject({ platform: 11, status: 1, seq: 40 });
    expect(before).not.toHaveProperty('alerts');
    expect(before.token).toBeUndefined();
    when(register({ platform: 11, token: token('t1') }));
    expect(world.device()).toMatchObject({ ...before, token: 't1', th: 'hash of t1', alerts: true, ta: T0 });
  });

  it('records when it was opened', () => {
    expect(given(early[0]!).world.device().self).toEqual({ open: T0 });
  });

  it('is unknown if the platform is not given', () => {
    for (const { platform: _, ...action } of early as readonly (DeviceAction & { platform: number })[]) {
      expect(() => given(action as DeviceAction)).toThrow('Device not found');
    }
  });

  it('changes an existing device as usual, whatever platform is given', () => {
    const { world } = given(register({ token: token('t1') }), ...early);
    expect(world.device()).toMatchObject({ platform: 3, token: 't1', lang: 'de', tz: 3600, user: 'hash of u1' });
  });
});

describe('a device', () => {
  it('is registered with a number, its owner, a control-group bucket and the default tags', () => {
    const { world } = given(
      register({ token: token('t1'), writes: [write(defaultTags.language, 'de'), write(defaultTags.timezone, 3600)] }),
    );
    expect(world.device()).toMatchObject({
      app: application,
      hwidHash,
      seq: 40,
      status: 1,
      hwid: 'h1',
      platform: 3,
      token: 't1',
      th: 'hash of t1',
      ta: T0,
      user: hwidHash,
      lang: 'de',
      tz: 3600,
      alerts: true,
      owners: [{ user: hwidHash, from: T0 }],
      createdAt: T0,
      tags: [{ k: defaultTags.firstInstall.number, v: MINUTE * 60_000 }],
    });
    expect(world.device().userId).toBeUndefined();
  });

  it('has no event if it is registered again unchanged, and the token is reported as registered again', () => {
    const first = register({
      token: token('t1'),
      user: { id: 'u', hash: 'hash u' },
      keys: keys('k'),
      writes: [write(colour, 'red')],
    });
    const decision = given(first).at(5).when(first);
    expect(decision.events).toEqual([]);
    expect(decision.selfReports).toEqual([{ id: `${application}:${hwidHash}`, max: { tokenAt: T0 + 5 * 60_000 } }]);
    expect(given(first).when(register({ keys: { ...keys('k'), idfa: undefined } }))).toEqual({
      events: [],
      selfReports: [],
    });
  });

  it('keeps its token if none is given, loses it by an empty one, and takes a new one', () => {
    const start = given(register({ token: token('t1') }));
    expect(cases(start.when(register()))).toEqual([]);
    expect(cases(start.at(1).when(register({ token: token('t2') })))).toEqual([[application, 'tokenSet']]);
    expect(start.world.device()).toMatchObject({ token: 't2', ta: T0 + 60_000, alerts: true });
    expect(cases(start.when(register({ token: null })))).toEqual([[application, 'tokenRemoved']]);
    expect(start.world.device()).toMatchObject({ token: undefined, th: undefined, alerts: true });
    expect(cases(start.when(register({ token: null })))).toEqual([]);
  });

  it('takes the last platform; a token is the token of its platform', () => {
    const start = given(register({ token: token('t1') }));
    expect(cases(start.when(register({ platform: 1, token: token('t1') })))).toEqual([
      [application, 'updated'],
      [application, 'tokenSet'],
    ]);
    expect(start.world.device().platform).toBe(1);
  });

  it('changes its owner, and remembers the previous one', () => {
    const start = given(register());
    start.at(1).when(register({ user: { id: 'u', hash: 'hash u' } }));
    const device = start.world.device();
    expect(device).toMatchObject({ userId: 'u', user: 'hash u' });
    expect(device.owners).toEqual([
      { user: hwidHash, from: T0 },
      { user: 'hash u', from: T0 + 60_000 },
    ]);
    expect(device.cg).not.toBe(given(register()).world.device().cg);
    start.when(register({ user: { id: 'h1', hash: hwidHash } }));
    expect(start.world.device()).toMatchObject({ userId: undefined, user: hwidHash });
  });

  it('loses token and alerts when it is unregistered, once', () => {
    const start = given(register({ token: token('t1') }));
    expect(start.when({ type: 'unregister' }).events[0]?.event).toEqual({
      $case: 'tokenRemoved',
      value: { reason: TokenRemoval.TOKEN_REMOVAL_UNREGISTERED },
    });
    expect(start.world.device()).toMatchObject({ token: undefined, alerts: false, seq: 40 });
    expect(start.when({ type: 'unregister' }).events).toEqual([]);
  });

  it('has alerts enabled by a new token, unless the client disables them', () => {
    const start = given(register({ token: token('t1'), writes: [write(defaultTags.pushAlertsEnabled, false)] }));
    expect(start.world.device().alerts).toBe(false);
    start.when(register({ token: token('t2') }));
    expect(start.world.device().alerts).toBe(false);
    start.when({ type: 'unregister' });
    start.when(register({ token: token('t2') }));
    expect(start.world.device().alerts).toBe(true);
    start.when({ type: 'unregister' });
    start.when(register({ token: token('t2'), writes: [write(defaultTags.pushAlertsEnabled, false)] }));
    expect(start.world.device().alerts).toBe(false);
  });

  it.each<DeviceAction>([{ type: 'unregister' }, { type: 'setTags', writes: [] }, { type: 'open', writes: [] }])(
    'is refused if it is unknown: $type',
    (action) => expect(() => given().when(action)).toThrow('Device not found'),
  );
});

function keys(key: string) {
  return { idfa: 'i', publicKey: key, authToken: 'a', fcmToken: 'f', fcmPushSet: 's' };
}

describe('tags of a device', () => {
  it('change by values and operations, and not by the same value', () => {
    const start = given(register());
    const action: DeviceAction = {
      type: 'setTags',
      writes: [write(level, { operation: 'increment', value: 2 }), write(colour, 'red')],
    };
    expect(cases(start.when(action))).toEqual([[application, 'tagsChanged']]);
    start.when(action);
    expect(entriesIn(start.world.device(), level.number)).toEqual([{ k: level.number, v: 4 }]);
    expect(cases(start.when({ type: 'setTags', writes: [write(colour, 'red')] }))).toEqual([]);
    start.when({ type: 'setTags', writes: [write(colour, null)] });
    expect(entriesIn(start.world.device(), colour.number)).toEqual([]);
  });

  it('are stored in the order of their numbers, and items in their own order', () => {
    const start = given(register());
    start.when({ type: 'setTags', writes: [write(products, ['b', 'a'])] });
    start.when({ type: 'setTags', writes: [write(level, 1)] });
    expect(start.world.device().tags.map(({ k }) => k)).toEqual([
      defaultTags.firstInstall.number,
      level.number,
      products.number,
      products.number,
    ]);
    expect(entriesIn(start.world.device(), products.number).map(({ v }) => v)).toEqual(['b', 'a']);
  });

  it('change in every application at once if they are shared, otherwise in one', () => {
    const start = given(register(), [register(), sibling]);
    expect(cases(start.when({ type: 'setTags', writes: [write(level, 7), write(colour, 'red')] }))).toEqual([
      [application, 'tagsChanged'],
      [sibling, 'tagsChanged'],
    ]);
    expect(entriesIn(start.world.device(sibling), level.number)).toEqual([{ k: level.number, v: 7 }]);
    expect(entriesIn(start.world.device(sibling), colour.number)).toEqual([]);
  });

  it('are copied to another application of the user if they are shared', () => {
    const start = given(register(), { type: 'setTags', writes: [write(products, ['a', 'b']), write(colour, 'red')] });
    start.when(register({ writes: [write(level, 3), write(products, { operation: 'append', value: 'c' })] }), sibling);
    for (const app of [application, sibling]) {
      expect(entriesIn(start.world.device(app), level.number)).toEqual([{ k: level.number, v: 3 }]);
      expect(entriesIn(start.world.device(app), products.number).map(({ v }) => v)).toEqual(['a', 'b', 'c']);
    }
    expect(entriesIn(start.world.device(sibling), colour.number)).toEqual([]);
  });

  it('are refused as a whole if an operation has an invalid result, but never prevent a registration', () => {
    const full = Array.from({ length: 1000 }, (_, i) => String(i));
    const tooMany = [write(level, 1), write(products, { operation: 'append', value: 'x' })];
    const start = given(register({ writes: [write(products, full)] }));
    expect(() => start.when({ type: 'setTags', writes: tooMany })).toThrow('tags.tag2: wrong value: list expected');
    start.when(register({ writes: tooMany }));
    expect(entriesIn(start.world.device(), level.number)).toEqual([{ k: level.number, v: 1 }]);
    expect(entriesIn(start.world.device(), products.number)).toHaveLength(1000);
  });

  it('are stored in the fields of the device if they are language, time zone, alerts or last open', () => {
    const start = given(register());
    const decision = start.when({
      type: 'setTags',
      writes: [
        write(defaultTags.language, 'fr-CA'),
        write(defaultTags.timezone, '-3600'),
        write(defaultTags.pushAlertsEnabled, 'false'),
        write(defaultTags.lastApplicationOpen, '2025-05-05 10:00'),
      ],
    });
    expect(start.world.device()).toMatchObject({
      lang: 'fr',
      tz: -3600,
      alerts: false,
      self: { open: Date.UTC(2025, 4, 5, 10) },
    });
    expect(decision.selfReports).toHaveLength(1);
    start.when({
      type: 'setTags',
      writes: [write(defaultTags.language, null), write(defaultTags.lastApplicationOpen, null)],
    });
    expect(start.world.device().lang).toBeUndefined();
    expect(start.world.device().self?.open).toBeNull();
  });

  it('are stored with an open, which is a self-report', () => {
    const start = given(register());
    const decision = start.when({
      type: 'open',
      writes: [write(defaultTags.osVersion, '17.1')],
      user: { id: 'u', hash: 'hash u' },
    });
    expect(cases(decision)).toEqual([
      [application, 'updated'],
      [application, 'tagsChanged'],
    ]);
    expect(decision.selfReports).toEqual([{ id: `${application}:${hwidHash}`, set: { open: T0 } }]);
    expect(start.when({ type: 'open', writes: [write(defaultTags.osVersion, '17.1')] }).events).toEqual([]);
  });

  it('contain the time of the latest open, whatever a client has written before (R-C10)', () => {
    const later = write(defaultTags.lastApplicationOpen, '2030-01-01');
    const start = given(register(), { type: 'setTags', writes: [later] });
    start.at(1).when({ type: 'open', writes: [] });
    expect(start.world.device().self?.open).toBe(T0 + 60_000);
  });

  it('never differ between sibling applications if they are shared', () => {
    const definitions = [level, colour, products];
    const input = (definition: TagDefinition) =>
      definition === level
        ? fc.oneof(
            fc.integer(),
            fc.constant(null),
            fc.integer().map((value) => ({ operation: 'increment', value })),
          )
        : fc.oneof(
            fc.constant(null),
            fc.constantFrom('a', 'b', 'c'),
            ...(definition === products
              ? [fc.constantFrom('a', 'd').map((value) => ({ operation: 'append', value }))]
              : []),
          );
    const step = fc.record({
      app: fc.constantFrom(application, sibling, 'AAAAA-00003'),
      kind: fc.constantFrom('register', 'setTags', 'open'),
      tag: fc
        .constantFrom(...definitions)
        .chain((definition) => input(definition).map((value) => write(definition, value))),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const world = new World();
        for (const { app, kind, tag: one } of steps) {
          const known = world.devices.has(deviceIdOf(app, hwidHash));
          if (kind === 'register' || !known) world.do(register({ writes: [one] }), app);
          else world.do({ type: kind === 'open' ? 'open' : 'setTags', writes: [one] }, app);
        }
        const shared = [...world.devices.values()].map(({ tags }) => tags.filter(({ k }) => isSharedTag(k)));
        for (const tags of shared) expect(tags).toEqual(shared[0]);
      }),
    );
  });
});

describe('a token that the provider reports as dead', () => {
  const rejected = (since: number, text = 't1'): DeviceAction => ({ type: 'tokenRejected', token: text, since });

  it('is removed, with alerts off', () => {
    const start = given(register({ token: token('t1') }));
    expect(start.when(rejected(T0 + 1)).events[0]?.event).toEqual({
      $case: 'tokenRemoved',
      value: { reason: TokenRemoval.TOKEN_REMOVAL_REJECTED },
    });
    expect(start.world.device()).toMatchObject({ token: undefined, alerts: false });
    expect(start.when(rejected(T0 + 1)).events).toEqual([]);
  });

  it('is replaced by the canonical one, unless it was registered again since', () => {
    const replaced = (since: number): DeviceAction => ({
      type: 'tokenReplaced',
      token: 't1',
      replacement: token('canonical'),
      since,
    });
    const start = given(register({ token: token('t1') }));
    expect(start.when(replaced(T0 - 1)).events).toEqual([]);
    expect(start.when(replaced(T0 + 1)).events).toHaveLength(1);
    expect(start.world.device()).toMatchObject({ token: 'canonical', alerts: true });
    expect(start.when(replaced(T0 + 1)).events).toEqual([]);
  });

  it('stays if another is stored by now, or if it was registered again since', () => {
    const other = given(register({ token: token('t1') }), register({ token: token('t2') }));
    expect(other.when(rejected(T0 + 1)).events).toEqual([]);
    const again = given(register({ token: token('t1') }));
    again.at(5).when(register({ token: token('t1') }));
    expect(again.when(rejected(T0 + 60_000)).events).toEqual([]);
    expect(again.when(rejected(T0 + 6 * 60_000)).events).toHaveLength(1);
    const setAgain = given(register({ token: token('t1') }), register({ token: null }));
    setAgain.at(5).when(register({ token: token('t1') }));
    expect(setAgain.when(rejected(T0 + 60_000)).events).toEqual([]);
  });

  it('is not removed if the identifier is an address or a number (R-P2)', () => {
    expect(
      given(register({ platform: 18, token: token('+4912345678') })).when(rejected(T0 + 1, '+4912345678')).events,
    ).toEqual([]);
  });

  it('is only the address that the push used', () => {
    const keys = DeviceKeys.fromPartial({ fcmToken: 'f1' });
    const start = given(register({ token: token('t1'), keys }), { type: 'setPushToStartToken', token: 's1' });
    const rejectedAddress = (field: 'fcmToken' | 'startToken', text: string) =>
      start.when({ type: 'addressRejected', field, token: text }).events.length;
    expect([rejectedAddress('fcmToken', 'f0'), rejectedAddress('startToken', 's0')]).toEqual([0, 0]);
    expect([rejectedAddress('fcmToken', 'f1'), rejectedAddress('startToken', 's1')]).toEqual([1, 1]);
    expect(start.world.device()).toMatchObject({ token: 't1', alerts: true, fcmToken: '', startToken: undefined });
    expect([rejectedAddress('fcmToken', 'f1'), rejectedAddress('startToken', 's1')]).toEqual([0, 0]);
  });

  it('is only the token of the live activity that the push used', () => {
    const activity = (n: number): DeviceAction => ({
      type: 'setActivityToken',
      activity: { activityId: `activity ${n}`, activity: `key ${n}`, token: `a${n}` },
    });
    const start = given(register({ token: token('t1') }), activity(1), activity(2));
    const dead = (text: string) => start.when({ type: 'addressRejected', field: 'activityToken', token: text }).events;
    expect([dead('t1').length, dead('a3').length, dead('a1').length, dead('a1').length]).toEqual([0, 0, 1, 0]);
    expect(start.world.device()).toMatchObject({ token: 't1', activities: [{ k: 'key 2', token: 'a2' }] });
  });

  it('is ignored for an unknown device', () => expect(given().when(rejected(T0)).events).toEqual([]));
});

describe('a token that another device has registered', () => {
  const taken = (at: number): DeviceAction => ({ type: 'tokenTaken', platform: 3, token: 't1', at });

  it('is removed without a change of alerts', () => {
    const start = given(register({ token: token('t1') }));
    expect(cases(start.when(taken(T0 + 1)))).toEqual([[application, 'tokenRemoved']]);
    expect(start.world.device()).toMatchObject({ token: undefined, alerts: true });
    expect(start.when(taken(T0 + 1))).toEqual({ events: [], selfReports: [] });
  });

  it('is kept if this device registered it later, and the time is reported', () => {
    const start = given(register({ token: token('t1') }));
    start.at(5).when(register({ token: token('t1') }));
    expect(start.when(taken(T0 + 1))).toEqual({ events: [], selfReports: [], keptSince: T0 + 5 * 60_000 });
  });

  it('does not affect this device on another platform', () =>
    expect(given(register({ platform: 1, token: token('t1') })).when(taken(T0 + 1)).events).toEqual([]));
});

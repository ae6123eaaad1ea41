import { type DeviceEvent, TokenRemoval } from '@tidings/events/generated/tidings/events/v1/devices';
import { TagType } from '@tidings/events';
import { defaultTags, type TagDefinition, tagNumber } from '../default-tags.ts';
import type { DeviceAction } from './action.ts';
import {
  activityTokenSet,
  application,
  flag,
  given,
  hwidHash,
  id,
  later,
  MINUTE_MS,
  nothing,
  number,
  owner,
  ownOwner,
  register,
  registered,
  setActivityToken,
  T0,
  tagsChanged,
  text,
  token,
  tokenRemoved,
  tokenSet,
  updated,
  user,
  write,
} from './testing/given.ts';

const { language, timezone, pushAlertsEnabled, firstInstall } = defaultTags;
const { TOKEN_REMOVAL_CLEARED: CLEARED, TOKEN_REMOVAL_UNREGISTERED: UNREGISTERED } = TokenRemoval;
const colour: TagDefinition = {
  name: 'colour',
  number: tagNumber(1, TagType.TAG_TYPE_STRING, true),
  type: TagType.TAG_TYPE_STRING,
  applicationSpecific: true,
};

describe('the tokens of live activities', () => {
  it('are limited to the last 20 of a device (R-LM6)', () => {
    const past = [registered(), ...Array.from({ length: 25 }, (_, n) => activityTokenSet(n, `token ${n}`))];
    const tokens = (...more: readonly DeviceEvent[]) =>
      given(...past, ...more)
        .device()
        .activities?.map((each) => each.token);
    expect(tokens()).toEqual(Array.from({ length: 20 }, (_, i) => `token ${i + 5}`));
    given(...past)
      .when(setActivityToken(7, 'renewed'))
      .then(activityTokenSet(7, 'renewed'));
    given(...past)
      .when(setActivityToken(25, 'token 25'))
      .then(activityTokenSet(25, 'token 25'));
    const renewed = tokens(activityTokenSet(7, 'renewed'), activityTokenSet(25, 'token 25'));
    expect(renewed).toHaveLength(20);
    expect(renewed?.slice(-2)).toEqual(['renewed', 'token 25']);
    expect(renewed).not.toContain('token 5');
  });

  it('are not set again if they are the same', () => {
    given(registered(), activityTokenSet(1, 'a1')).when(setActivityToken(1, 'a1')).then();
  });
});

describe('a device that calls before it registers (R-C7)', () => {
  const german = text(language, 'de');
  const open = { type: 'open', platform: 11, user: user('u1'), writes: [write(language, 'de')] } as const;
  const setTags = { type: 'setTags', platform: 11, writes: [write(language, 'de')] } as const;
  const bindUser = { type: 'bindUser', platform: 11, user: user('u1'), writes: [write(timezone, 3600)] } as const;
  const early = [open, setTags, bindUser];

  it.each([
    { action: open, event: registered({ platform: 11, user: owner('u1'), tags: [german] }) },
    { action: setTags, event: registered({ platform: 11, tags: [german] }) },
    { action: bindUser, event: registered({ platform: 11, user: owner('u1'), tags: [number(timezone, 3600)] }) },
  ])('is a record without a token after $action.type, and keeps its data when it registers', ({ action, event }) => {
    given().when(action).then(event);
    const before = given(event).device();
    expect(before).toMatchObject({ platform: 11, status: 1, seq: 40 });
    expect(before).not.toHaveProperty('alerts');
    expect(before.token).toBeUndefined();
    given(event)
      .when(register({ platform: 11, token: token('t1') }))
      .then(tokenSet('t1', 11));
    const after = given(event, tokenSet('t1', 11)).device();
    expect(after).toMatchObject({ ...before, token: 't1', th: 'hash of t1', alerts: true, ta: T0 });
  });

  it('records when it was opened', () => {
    const event = registered({ platform: 11, user: owner('u1'), tags: [german] });
    given()
      .when(open)
      .thenDecided({ events: [event], selfReports: [{ id, set: { open: T0 } }] });
  });

  it('is unknown if the platform is not given', () => {
    for (const { platform: _, ...action } of early) given().when(action).thenRefused('Device not found');
  });

  it('changes an existing device as usual, whatever platform is given', () => {
    const before = registered({ token: 't1' });
    const changes = [updated({ user: owner('u1') }), tagsChanged(german), tagsChanged(number(timezone, 3600))] as const;
    given(before).when(open).then(changes[0], changes[1]);
    given(before).when(setTags).then(changes[1]);
    given(before).when(bindUser).then(changes[0], changes[2]);
    const changed = given(before, ...changes);
    expect(changed.device()).toMatchObject({ platform: 3, token: 't1', lang: 'de', tz: 3600, user: 'hash of u1' });
    for (const action of early) changed.when(action).then();
  });
});

describe('a device', () => {
  it('is registered with a number, its owner, a control-group bucket and the default tags', () => {
    const event = registered({ token: 't1', tags: [text(language, 'de'), number(timezone, 3600)] });
    given()
      .when(register({ token: token('t1'), writes: [write(language, 'de'), write(timezone, 3600)] }))
      .thenDecided({ events: [event], selfReports: [] });
    const device = given(event).device();
    expect(device).toMatchObject({
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
      cg: ownOwner().controlBucket,
      lang: 'de',
      tz: 3600,
      alerts: true,
      owners: [{ user: hwidHash, from: T0 }],
      createdAt: T0,
      tags: [{ k: firstInstall.number, v: T0 }],
    });
    expect(device.userId).toBeUndefined();
  });

  it('has no event if it is registered again unchanged, and the token is reported as registered again', () => {
    const keys = { idfa: 'i', publicKey: 'k', authToken: 'a', fcmToken: 'f', fcmPushSet: 's', adoptByToken: true };
    const first = register({ token: token('t1'), user: user('u'), keys, writes: [write(colour, 'red')] });
    const event = registered({ token: 't1', user: owner('u'), keys, tags: [text(colour, 'red')] });
    given().when(first).then(event);
    given(event)
      .when(first, { minutes: 5 })
      .thenDecided({ events: [], selfReports: [{ id, max: { tokenAt: T0 + 5 * MINUTE_MS } }] });
    given(event)
      .when(register({ keys: { ...keys, idfa: undefined } }))
      .thenDecided(nothing);
  });

  it('keeps its token if none is given, loses it by an empty one, and takes a new one', () => {
    const start = given(registered({ token: 't1' }));
    start.when(register()).then();
    start.when(register({ token: token('t2') }), { minutes: 1 }).then(later(1, tokenSet('t2')));
    const renewed = given(registered({ token: 't1' }), later(1, tokenSet('t2')));
    expect(renewed.device()).toMatchObject({ token: 't2', ta: T0 + MINUTE_MS, alerts: true });
    renewed.when(register({ token: null })).then(tokenRemoved(CLEARED));
    const cleared = given(registered({ token: 't1' }), later(1, tokenSet('t2')), tokenRemoved(CLEARED));
    expect(cleared.device()).toMatchObject({ token: undefined, th: undefined, alerts: true });
    cleared.when(register({ token: null })).then();
  });

  it('takes the last platform; a token is the token of its platform', () => {
    const changes = [updated({ platform: 1 }), tokenSet('t1', 1)];
    given(registered({ token: 't1' }))
      .when(register({ platform: 1, token: token('t1') }))
      .then(...changes);
    expect(given(registered({ token: 't1' }), ...changes).device().platform).toBe(1);
  });

  it('changes its owner, and remembers the previous one', () => {
    const change = later(1, updated({ user: owner('u') }));
    given(registered())
      .when(register({ user: user('u') }), { minutes: 1 })
      .then(change);
    const changed = given(registered(), change);
    const device = changed.device();
    expect(device).toMatchObject({ userId: 'u', user: 'hash of u' });
    expect(device.owners).toEqual([
      { user: hwidHash, from: T0 },
      { user: 'hash of u', from: T0 + MINUTE_MS },
    ]);
    expect(device.cg).not.toBe(given(registered()).device().cg);
    changed.when(register({ user: { id: 'h1', hash: hwidHash } })).then(updated({ user: ownOwner() }));
    const own = given(registered(), change, updated({ user: ownOwner() })).device();
    expect(own).toMatchObject({ userId: undefined, user: hwidHash });
  });

  it('loses token and alerts when it is unregistered, once', () => {
    given(registered({ token: 't1' }))
      .when({ type: 'unregister' })
      .then(tokenRemoved(UNREGISTERED));
    const unregistered = given(registered({ token: 't1' }), tokenRemoved(UNREGISTERED));
    expect(unregistered.device()).toMatchObject({ token: undefined, alerts: false, seq: 40 });
    unregistered.when({ type: 'unregister' }).then();
  });

  it('has a badge number beside the log, and counts its changes (R-C9)', () => {
    given(registered())
      .when({ type: 'setBadge', badge: 5 })
      .thenDecided({ events: [], selfReports: [{ id, set: { badge: 5 }, add: { setBadges: 1 } }] });
  });

  it('has alerts enabled by a new token, unless the client disables them', () => {
    const disabled = flag(pushAlertsEnabled, false);
    const registerDisabled = (value: string) =>
      register({ token: token(value), writes: [write(pushAlertsEnabled, false)] });
    const past = [registered({ token: 't1', tags: [disabled] })];
    given()
      .when(registerDisabled('t1'))
      .then(...past);
    expect(given(...past).device().alerts).toBe(false);
    given(...past)
      .when(register({ token: token('t2') }))
      .then(tokenSet('t2'));
    past.push(tokenSet('t2'));
    expect(given(...past).device().alerts).toBe(false);
    given(...past)
      .when({ type: 'unregister' })
      .then(tokenRemoved(UNREGISTERED));
    past.push(tokenRemoved(UNREGISTERED));
    given(...past)
      .when(register({ token: token('t2') }))
      .then(tokenSet('t2'));
    expect(given(...past, tokenSet('t2')).device().alerts).toBe(true);
    given(...past)
      .when(registerDisabled('t2'))
      .then(tokenSet('t2'), tagsChanged(disabled));
    expect(given(...past, tokenSet('t2'), tagsChanged(disabled)).device().alerts).toBe(false);
  });

  it.each<DeviceAction>([
    { type: 'unregister' },
    { type: 'setBadge', badge: 5 },
    { type: 'setTags', writes: [] },
    { type: 'open', writes: [] },
  ])('is refused if it is unknown: $type', (action) => given().when(action).thenRefused('Device not found'));
});

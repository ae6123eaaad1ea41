import { DeviceKeys, TokenRemoval } from '@tidings/events/generated/tidings/events/v1/devices';
import type { DeviceAction } from './action.ts';
import {
  activityTokenSet,
  given,
  later,
  MINUTE_MS,
  nothing,
  register,
  registered,
  setActivityToken,
  startTokenSet,
  T0,
  token,
  tokenRemoved,
  tokenSet,
  updated,
} from './testing/given.ts';

const { TOKEN_REMOVAL_CLEARED: CLEARED, TOKEN_REMOVAL_MOVED: MOVED, TOKEN_REMOVAL_REJECTED: REJECTED } = TokenRemoval;
const before = registered({ token: 't1' });
const registeredAgainAt = { tokenAt: T0 + 5 * MINUTE_MS };

describe('a token that the provider reports as dead', () => {
  const reject = (since: number, value = 't1'): DeviceAction => ({ type: 'tokenRejected', token: value, since });

  it('is removed, with alerts off', () => {
    given(before)
      .when(reject(T0 + 1))
      .then(tokenRemoved(REJECTED));
    const removed = given(before, tokenRemoved(REJECTED));
    expect(removed.device()).toMatchObject({ token: undefined, alerts: false });
    removed.when(reject(T0 + 1)).then();
  });

  it('is replaced by the canonical one, unless it was registered again since', () => {
    const replace = (since: number): DeviceAction => ({
      type: 'tokenReplaced',
      token: 't1',
      replacement: token('canonical'),
      since,
    });
    given(before)
      .when(replace(T0 - 1))
      .then();
    given(before)
      .when(replace(T0 + 1))
      .then(tokenSet('canonical'));
    const replaced = given(before, tokenSet('canonical'));
    expect(replaced.device()).toMatchObject({ token: 'canonical', alerts: true });
    replaced.when(replace(T0 + 1)).then();
  });

  it('stays if another is stored by now, or if it was registered again since', () => {
    given(before, tokenSet('t2'))
      .when(reject(T0 + 1))
      .then();
    const again = given(before).selfReported(registeredAgainAt);
    again.when(reject(T0 + MINUTE_MS)).then();
    again.when(reject(T0 + 6 * MINUTE_MS)).then(tokenRemoved(REJECTED));
    given(before, tokenRemoved(CLEARED))
      .when(register({ token: token('t1') }), { minutes: 5 })
      .then(later(5, tokenSet('t1')));
    given(before, tokenRemoved(CLEARED), later(5, tokenSet('t1')))
      .when(reject(T0 + MINUTE_MS))
      .then();
  });

  it('is not removed if the identifier is an address or a number (R-P2)', () => {
    given(registered({ platform: 18, token: '+4912345678' }))
      .when(reject(T0 + 1, '+4912345678'))
      .then();
  });

  it('is only the address that the push used', () => {
    const rejectAddress = (field: 'fcmToken' | 'startToken', value: string): DeviceAction => ({
      type: 'addressRejected',
      field,
      token: value,
    });
    const keysOf = (fcmToken: string) => DeviceKeys.fromPartial({ fcmToken });
    const withFcmToken = registered({ token: 't1', keys: keysOf('f1') });
    given(withFcmToken).when({ type: 'setPushToStartToken', token: 's1' }).then(startTokenSet('s1'));
    const start = given(withFcmToken, startTokenSet('s1'));
    start.when(rejectAddress('fcmToken', 'f0')).then();
    start.when(rejectAddress('startToken', 's0')).then();
    start.when(rejectAddress('fcmToken', 'f1')).then(updated({ keys: keysOf('') }));
    start.when(rejectAddress('startToken', 's1')).then(startTokenSet(undefined));
    const rejected = given(withFcmToken, startTokenSet('s1'), updated({ keys: keysOf('') }), startTokenSet(undefined));
    expect(rejected.device()).toMatchObject({ token: 't1', alerts: true, fcmToken: '', startToken: undefined });
    rejected.when(rejectAddress('fcmToken', 'f1')).then();
    rejected.when(rejectAddress('startToken', 's1')).then();
  });

  it('is only the token of the live activity that the push used', () => {
    const rejectActivity = (value: string): DeviceAction => ({
      type: 'addressRejected',
      field: 'activityToken',
      token: value,
    });
    given(before).when(setActivityToken(1, 'a1')).then(activityTokenSet(1, 'a1'));
    const past = [before, activityTokenSet(1, 'a1'), activityTokenSet(2, 'a2')];
    for (const other of ['t1', 'a3']) {
      given(...past)
        .when(rejectActivity(other))
        .then();
    }
    given(...past)
      .when(rejectActivity('a1'))
      .then(activityTokenSet(1, undefined));
    const rejected = given(...past, activityTokenSet(1, undefined));
    expect(rejected.device()).toMatchObject({ token: 't1', activities: [{ k: 'key 2', token: 'a2' }] });
    rejected.when(rejectActivity('a1')).then();
  });

  it('is ignored for an unknown device', () => {
    given().when(reject(T0)).then();
  });
});

describe('a token that another device has registered', () => {
  const takeAt = (at: number): DeviceAction => ({ type: 'tokenTaken', platform: 3, token: 't1', at });

  it('is removed without a change of alerts', () => {
    given(before)
      .when(takeAt(T0 + 1))
      .then(tokenRemoved(MOVED));
    const removed = given(before, tokenRemoved(MOVED));
    expect(removed.device()).toMatchObject({ token: undefined, alerts: true });
    removed.when(takeAt(T0 + 1)).thenDecided(nothing);
  });

  it('is kept if this device registered it later, and the time is reported', () => {
    given(before)
      .selfReported(registeredAgainAt)
      .when(takeAt(T0 + 1))
      .thenDecided({ ...nothing, keptSince: T0 + 5 * MINUTE_MS });
  });

  it('does not affect this device on another platform', () => {
    given(registered({ platform: 1, token: 't1' }))
      .when(takeAt(T0 + 1))
      .then();
  });
});

import { TagType } from '@tidings/events';
import { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import fc from 'fast-check';
import { defaultTags, tagNumber } from '../default-tags.ts';
import { parseTagWrite, type TagWrite } from '../tags/operations.ts';
import type { DeviceAction, DeviceDecision } from './action.ts';
import { decide } from './decide.ts';
import { type Device, entriesIn, evolve, isPresent } from './device.ts';
import { redacted } from './redacted.ts';
import type { DeviceIdentity } from './events.ts';

const AT = new Date('2026-01-01T12:00:00Z');
/** In every value of a caller about the person. */
const CANARY = 'c4n4ry';
const identity: DeviceIdentity = {
  account: 'default',
  application: 'AAAAA-00001',
  hwidHash: 'p'.repeat(22),
  hwid: `${CANARY}-hwid`,
};
const plan = {
  name: 'Plan',
  number: tagNumber(0, TagType.TAG_TYPE_STRING, true),
  type: TagType.TAG_TYPE_STRING,
  applicationSpecific: true,
};

const write = (input: unknown, tag = plan): TagWrite => parseTagWrite(tag, input) as TagWrite;
const register = (more: object = {}): DeviceAction => ({ type: 'register', platform: 3, writes: [], ...more });
const user = (id: string) => ({ id, hash: `hash of ${id}` });

interface History {
  readonly events: readonly DeviceEvent[];
  readonly device: Device | undefined;
  readonly decisions: readonly DeviceDecision[];
}

function historyOf(actions: readonly DeviceAction[]): History {
  let device: Device | undefined;
  const events: DeviceEvent[] = [];
  const decisions: DeviceDecision[] = [];
  for (const [i, action] of actions.entries()) {
    const decision = decide(identity, { own: device, siblings: [] }, action, i, AT);
    for (const event of decision.events) device = evolve(device, event);
    events.push(...decision.events);
    decisions.push(decision);
  }
  return { events, device, decisions };
}

const personal = fc.string({ maxLength: 8 }).map((text) => `${CANARY}${text}`);
const actions = fc.oneof<fc.Arbitrary<DeviceAction>[]>(
  personal.map((text) => register({ token: { text, hash: text }, user: user(text), keys: { idfa: text } })),
  personal.map((text) => ({ type: 'setTags', writes: [write(text)] })),
  personal.map((name) => ({
    type: 'recordEvent',
    occurrence: { name, amount: 1, currency: 'EUR', attributes: name, happenedAt: AT, localAt: AT },
    writes: [write([name], defaultTags.inAppProduct as never)],
  })),
  personal.map((id) => ({ type: 'bindUser', user: user(id), writes: [] })),
  personal.map((token) => ({ type: 'setPushToStartToken', token })),
  personal.map((token) => ({ type: 'setActivityToken', activity: { activityId: token, activity: token, token } })),
  fc.constant<DeviceAction>({ type: 'unregister' }),
);

describe('an erased device', () => {
  const erase: DeviceAction = { type: 'erase' };

  it('leaves its number, and loses its self-reported state', () => {
    const { device, decisions } = historyOf([register({ user: user('u') }), erase]);
    expect(device).toEqual({
      account: 'default',
      app: 'AAAAA-00001',
      hwidHash: identity.hwidHash,
      seq: 0,
      status: 0,
      hwid: '',
      platform: 0,
      user: identity.hwidHash,
      cg: 0,
      tags: [],
      owners: [],
      createdAt: 0,
    });
    expect(decisions[1]?.selfReports).toEqual([{ id: `AAAAA-00001:${identity.hwidHash}`, clear: true }]);
  });

  it('is erased once, and an unknown one not at all', () => {
    expect(historyOf([erase]).events).toEqual([]);
    expect(historyOf([register(), erase, erase]).events).toHaveLength(2);
  });

  it.each<DeviceAction>([
    { type: 'unregister' },
    { type: 'setBadge', badge: 1 },
    { type: 'setTags', writes: [] },
    { type: 'bindUser', user: user('u'), writes: [] },
  ])('does not exist for $type', (action) => {
    expect(() => historyOf([register(), erase, action])).toThrow('Device not found');
  });

  it('is a new one with a new number when it is registered again', () => {
    const { device } = historyOf([register({ writes: [write('old')], user: user('u') }), erase, register()]);
    expect(device).toMatchObject({ seq: 2, status: 1, hwid: identity.hwid, user: identity.hwidHash });
    expect(entriesIn(device, plan.number)).toEqual([]);
  });

  it('is in no event after their redaction, and they have the same result', () => {
    fc.assert(
      fc.property(fc.array(actions, { maxLength: 12 }), (history) => {
        const { events, device } = historyOf([register(), ...history, erase]);
        const left = events.map(redacted);
        for (const event of left) {
          expect(Buffer.from(DeviceEvent.encode(event).finish()).includes(CANARY)).toBe(false);
        }
        const again = left.reduce<Device | undefined>(evolve, undefined);
        expect(again).toEqual(device);
        expect(isPresent(again)).toBe(false);
      }),
    );
  });
});

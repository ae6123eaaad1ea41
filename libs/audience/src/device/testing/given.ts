import { expect } from '@jest/globals';
import type {
  DeviceEvent,
  DeviceKeys,
  DeviceUser,
  TagValue,
  TokenRemoval,
} from '@tidings/events/generated/tidings/events/v1/devices';
import { defaultTags, type TagDefinition } from '../../default-tags.ts';
import { deviceIdOf } from '../../identity.ts';
import { parseTagWrite, type TagWrite } from '../../tags/operations.ts';
import type { DeviceAction, DeviceDecision, NewUser, RegisterDevice } from '../action.ts';
import { controlBucketOf } from '../control-group.ts';
import { decide } from '../decide.ts';
import { type Device, evolve, type SelfReportedState } from '../device.ts';

export const T0 = Date.UTC(2026, 0, 1, 12);
export const MINUTE_MS = 60_000;
export const application = 'AAAAA-00001';
export const sibling = 'AAAAA-00002';
export const hwidHash = 'p'.repeat(22);
export const id = `${application}:${hwidHash}`;
const FIRST_SEQ = 40;

const event = (change: DeviceEvent['event']): DeviceEvent => ({
  stamp: undefined,
  account: 'default',
  application,
  hwidHash,
  hwid: 'h1',
  seq: FIRST_SEQ,
  at: new Date(T0),
  previous: 0n,
  event: change,
});
export const later = (minutes: number, past: DeviceEvent): DeviceEvent => ({
  ...past,
  at: new Date(T0 + minutes * MINUTE_MS),
});
export const inSibling = (past: DeviceEvent): DeviceEvent => ({ ...past, application: sibling, seq: FIRST_SEQ + 1 });

export const token = (text: string) => ({ text, hash: `hash of ${text}` });
export const user = (name: string): NewUser => ({ id: name, hash: `hash of ${name}` });
export const owner = (name: string): DeviceUser => ({
  userId: name,
  user: `hash of ${name}`,
  controlBucket: controlBucketOf(application, name),
});
export const ownOwner = (of = application): DeviceUser => ({
  userId: '',
  user: hwidHash,
  controlBucket: controlBucketOf(of, 'h1'),
});

export const tagValue = ({ number: tag }: TagDefinition, value: TagValue['value']): TagValue => ({ tag, value });
export const text = (tag: TagDefinition, value: string) => tagValue(tag, { $case: 'text', value });
export const number = (tag: TagDefinition, value: number) => tagValue(tag, { $case: 'number', value });
export const flag = (tag: TagDefinition, value: boolean) => tagValue(tag, { $case: 'flag', value });
export const list = (tag: TagDefinition, ...items: string[]) => tagValue(tag, { $case: 'list', value: { items } });
const firstInstall = tagValue(defaultTags.firstInstall, { $case: 'minutes', value: T0 / MINUTE_MS });

interface Registration {
  readonly platform?: number;
  readonly token?: string;
  readonly user?: DeviceUser;
  readonly tags?: readonly TagValue[];
  readonly keys?: DeviceKeys;
}

const pushToken = (value: string, platform: number) => ({ token: value, tokenHash: `hash of ${value}`, platform });

export const registered = ({ platform = 3, token: value, user: of = ownOwner(), tags = [], keys }: Registration = {}) =>
  event({
    $case: 'registered',
    value: {
      platform,
      token: value === undefined ? undefined : pushToken(value, platform),
      user: of,
      tags: [firstInstall, ...tags],
      keys,
    },
  });
export const updated = ({ platform, user: of, keys }: Omit<Registration, 'token' | 'tags'>) =>
  event({ $case: 'updated', value: { platform, user: of, keys } });
export const tokenSet = (value: string, platform = 3) =>
  event({ $case: 'tokenSet', value: pushToken(value, platform) });
export const tokenRemoved = (reason: TokenRemoval) => event({ $case: 'tokenRemoved', value: { reason } });
export const tagsChanged = (...tags: TagValue[]) => event({ $case: 'tagsChanged', value: { tags } });
export const startTokenSet = (value: string | undefined) =>
  event({ $case: 'pushToStartTokenSet', value: { token: value } });
const activity = (n: number, value: string | undefined) => ({
  activityId: `activity ${n}`,
  activity: `key ${n}`,
  token: value,
});
export const activityTokenSet = (n: number, value: string | undefined) =>
  event({ $case: 'activityTokenSet', value: activity(n, value) });

export const register = (more: Partial<RegisterDevice> = {}): RegisterDevice => ({
  type: 'register',
  platform: 3,
  writes: [],
  ...more,
});
export const setActivityToken = (n: number, value: string | undefined): DeviceAction => ({
  type: 'setActivityToken',
  activity: activity(n, value),
});
export const write = (tag: TagDefinition, input: unknown): TagWrite => {
  const parsed = parseTagWrite(tag, input);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
};

export const nothing: DeviceDecision = { events: [], selfReports: [] };

interface Circumstances {
  readonly app?: string;
  /** After T0. */
  readonly minutes?: number;
}

const idIn = (app: string): string => deviceIdOf(app, hwidHash);

/** The past events of one hwid, in any of its applications. */
export function given(...past: readonly DeviceEvent[]) {
  const devices = new Map<string, Device>();
  for (const each of past) devices.set(idIn(each.application), evolve(devices.get(idIn(each.application)), each));
  return givenDevices(devices);
}

function givenDevices(devices: ReadonlyMap<string, Device>) {
  return {
    devices: [...devices.values()],
    device: (app = application): Device => devices.get(idIn(app))!,
    selfReported: (self: SelfReportedState) => givenDevices(new Map(devices).set(id, { ...devices.get(id)!, self })),
    when(action: DeviceAction, { app = application, minutes = 0 }: Circumstances = {}) {
      const own = devices.get(idIn(app));
      const siblings = [...devices.values()].filter((device) => device.app !== app);
      const identity = { account: 'default', application: app, hwidHash, hwid: 'h1' };
      const at = new Date(T0 + minutes * MINUTE_MS);
      const decision = () => decide(identity, { own, siblings }, action, FIRST_SEQ + devices.size, at);
      return {
        decision,
        then: (...events: readonly DeviceEvent[]) => expect(decision().events).toEqual(events),
        thenDecided: (expected: DeviceDecision) => expect(decision()).toEqual(expected),
        thenRefused: (message: string) => expect(decision).toThrow(message),
      };
    },
  };
}

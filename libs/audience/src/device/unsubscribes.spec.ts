import { Platform } from '@tidings/kernel';
import { defaultTags, type TagDefinition } from '../default-tags.ts';
import { parseTagWrite, type TagWrite } from '../tags/operations.ts';
import type { DeviceAction } from './action.ts';
import { decide } from './decide.ts';
import { type Device, entriesIn, evolve } from './device.ts';
import { unsubscribesOf } from './unsubscribes.ts';

const AT = new Date('2026-01-01T12:00:00Z');
const { unsubscribedEmails, unsubscribedCategories } = defaultTags;
const address = 'anna@example.com';

const write = (tag: TagDefinition, input: unknown): TagWrite => {
  const parsed = parseTagWrite(tag, input);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
};
const registerAs = (text: string, writes: readonly TagWrite[]): DeviceAction => ({
  type: 'register',
  platform: Platform.Email,
  token: { text, hash: `hash of ${text}` },
  writes,
});
const register = (...writes: readonly TagWrite[]): DeviceAction => registerAs(address, writes);

function contact(hwid: string, ...actions: readonly DeviceAction[]): Device {
  const identity = { account: 'default', application: 'AAAAA-00001', hwidHash: hwid.padEnd(22, 'p'), hwid };
  let device: Device | undefined;
  for (const action of actions) {
    for (const event of decide(identity, { own: device, siblings: [] }, action, 1, AT).events) {
      device = evolve(device, event);
    }
  }
  return device!;
}

const unsubscribes = (device: Device) =>
  [unsubscribedEmails, unsubscribedCategories].map(({ number }) => entriesIn(device, number).map(({ v }) => v));

describe('unsubscribes (R-E14)', () => {
  const former = contact(
    'former',
    register(write(unsubscribedEmails, true), write(unsubscribedCategories, ['News', 'Offers'])),
  );
  const taken: DeviceAction = { type: 'addressTaken', token: address, writes: unsubscribesOf([former]) };

  it('follow an address to the contact that takes it, beside its own', () => {
    expect(unsubscribes(contact('new', register(), taken))).toEqual([[true], ['News', 'Offers']]);
    const before = register(write(unsubscribedCategories, ['Tips', 'News']));
    expect(unsubscribes(contact('new', before, taken, taken))).toEqual([[true], ['Tips', 'News', 'Offers']]);
  });

  it('do not follow to a contact that has got another address since', () => {
    const other = registerAs('bert@example.com', []);
    expect(unsubscribes(contact('new', register(), other, taken))).toEqual([[], []]);
  });

  it('are empty for a contact that is subscribed to every mail', () => {
    expect(unsubscribesOf([contact('happy', register(write(unsubscribedEmails, false)))])).toEqual([]);
  });
});

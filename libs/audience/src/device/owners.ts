import type { OwnerReplaced } from '@tidings/events/generated/tidings/events/v1/devices';
import type { DeviceDecision } from './action.ts';
import { nothing } from './action.ts';
import type { Device } from './device.ts';
import { type DeviceIdentity, eventOf } from './events.ts';

type Owners = Device['owners'];

/** The user of a device at a moment, "" for nobody. The first one counts before its own start: clocks differ between processes. */
export const ownerAt = (owners: Owners, at: number): string => {
  const last = owners.findLast(({ from }) => from <= at) ?? owners[0];
  return last?.user ?? '';
};

/** The users after one was replaced; the current user stays the current one. */
export function replacedOwners({ owners, user }: Device, { from, to }: OwnerReplaced, at: number): Owners {
  const replaced = owners.map((owner) => (owner.user === from ? { ...owner, user: to } : owner));
  return replaced.at(-1)?.user === user ? replaced : [...replaced, { user, from: at }];
}

/** Hands on the inbox entries that the device got for a user, to another one or to nobody (R-X2); no event if there are none. */
export function replaceOwner(
  identity: DeviceIdentity,
  own: Device | undefined,
  replaced: OwnerReplaced,
  at: Date,
): DeviceDecision {
  if (!own?.owners.some(({ user }) => user === replaced.from)) return nothing;
  return { events: [eventOf(identity, own.seq, at, { $case: 'ownerReplaced', value: replaced })], selfReports: [] };
}

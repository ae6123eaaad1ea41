import type { OwnerReplaced } from '@tidings/events/generated/tidings/events/v1/devices';
import { type DeviceDecision, nothing } from './action.ts';
import type { Device } from './device.ts';
import { type DeviceIdentity, eventOf } from './events.ts';

export function replaceOwner(
  identity: DeviceIdentity,
  own: Device | undefined,
  replaced: OwnerReplaced,
  at: Date,
): DeviceDecision {
  if (!own?.owners.some(({ user }) => user === replaced.from)) return nothing;
  return { events: [eventOf(identity, own.seq, at, { $case: 'ownerReplaced', value: replaced })], selfReports: [] };
}

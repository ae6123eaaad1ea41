import type { ActivityTokenSet } from '@tidings/events/generated/tidings/events/v1/devices';
import { type DeviceDecision, nothing } from './action.ts';
import type { Device } from './device.ts';
import { type DeviceIdentity, eventOf } from './events.ts';

export function setPushToStartToken(
  identity: DeviceIdentity,
  own: Device,
  token: string | undefined,
  at: Date,
): DeviceDecision {
  if (own.startToken === token) return nothing;
  return {
    events: [eventOf(identity, own.seq, at, { $case: 'pushToStartTokenSet', value: { token } })],
    selfReports: [],
  };
}

export function setActivityToken(
  identity: DeviceIdentity,
  own: Device,
  activity: ActivityTokenSet,
  at: Date,
): DeviceDecision {
  const existing = own.activities?.find(({ k }) => k === activity.activity);
  if (existing?.token === activity.token) return nothing;
  return { events: [eventOf(identity, own.seq, at, { $case: 'activityTokenSet', value: activity })], selfReports: [] };
}

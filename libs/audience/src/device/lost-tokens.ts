import { DeviceKeys, TokenRemoval } from '@tidings/events/generated/tidings/events/v1/devices';
import { isPushPlatform } from '@tidings/kernel';
import { type DeviceAction, type DeviceDecision, nothing } from './action.ts';
import { setActivityToken, setPushToStartToken } from './activities.ts';
import { type Device, tokenTime } from './device.ts';
import { tokenOf } from './device-tokens.ts';
import { eventOf, identityOf } from './events.ts';

const removed = (device: Device, reason: TokenRemoval, at: Date): DeviceDecision => ({
  events: [eventOf(identityOf(device), device.seq, at, { $case: 'tokenRemoved', value: { reason } })],
  selfReports: [],
});

const hasToken = (own: Device, { token, since }: { readonly token: string; readonly since: number }): boolean =>
  own.token === token && tokenTime(own) <= since && isPushPlatform(own.platform);

/** Unless registered again since (R-P2). */
export function rejectToken(
  own: Device | undefined,
  command: DeviceAction & { type: 'tokenRejected' },
  at: Date,
): DeviceDecision {
  return own && hasToken(own, command) ? removed(own, TokenRemoval.TOKEN_REMOVAL_REJECTED, at) : nothing;
}

/** Unless registered again since (R-P3). */
export function replaceToken(
  own: Device | undefined,
  command: DeviceAction & { type: 'tokenReplaced' },
  at: Date,
): DeviceDecision {
  if (!own || !hasToken(own, command)) return nothing;
  const value = tokenOf(command.replacement, own.platform);
  return { events: [eventOf(identityOf(own), own.seq, at, { $case: 'tokenSet', value })], selfReports: [] };
}

export function rejectAddress(
  own: Device | undefined,
  { field, token }: DeviceAction & { type: 'addressRejected' },
  at: Date,
): DeviceDecision {
  if (field === 'activityToken') return rejectActivityToken(own, token, at);
  if (own?.[field] !== token) return nothing;
  if (field === 'startToken') return setPushToStartToken(identityOf(own), own, undefined, at);
  const keys = DeviceKeys.fromPartial({ fcmToken: '' });
  const updated = { platform: undefined, user: undefined, keys };
  return { events: [eventOf(identityOf(own), own.seq, at, { $case: 'updated', value: updated })], selfReports: [] };
}

function rejectActivityToken(own: Device | undefined, token: string, at: Date): DeviceDecision {
  const rejected = own?.activities?.find((each) => each.token === token);
  if (!own || !rejected) return nothing;
  const removal = { activityId: rejected.id, activity: rejected.k, token: undefined };
  return setActivityToken(identityOf(own), own, removal, at);
}

/** The last device that registered a token keeps it (R-RES2). */
export function giveUpToken(
  own: Device | undefined,
  command: DeviceAction & { type: 'tokenTaken' },
  at: Date,
): DeviceDecision {
  if (own?.token !== command.token || own.platform !== command.platform) return nothing;
  const ownTokenTime = tokenTime(own);
  return ownTokenTime > command.at
    ? { ...nothing, keptSince: ownTokenTime }
    : removed(own, TokenRemoval.TOKEN_REMOVAL_MOVED, at);
}

import type { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { TokenRemoval } from '@tidings/events/generated/tidings/events/v1/devices';
import { Fault, isPushPlatform, Platform } from '@tidings/kernel';
import type { NewToken, RegisterDevice } from './action.ts';
import type { Device } from './device.ts';

type Change = NonNullable<DeviceEvent['event']>;

export const tokenOf = (token: NewToken, platform: number) => ({ token: token.text, tokenHash: token.hash, platform });

const cleared: Change = { $case: 'tokenRemoved', value: { reason: TokenRemoval.TOKEN_REMOVAL_CLEARED } };

export const lacksAddress = ({ platform, token }: RegisterDevice): boolean => platform === Platform.Email && !token;

export function checkAddress(own: Device | undefined, command: RegisterDevice): void {
  if (!lacksAddress(command)) return;
  const isKept = command.token === undefined && own?.platform === Platform.Email && own.token !== undefined;
  if (!isKept) throw Fault.argument('Email address has invalid count of parts');
}

/** Contacts' addresses and push tokens do not mix (R-C1). */
function kept(own: Device, platform: number): Change | undefined {
  if (own.token === undefined || own.platform === platform) return undefined;
  if (!isPushPlatform(own.platform) || !isPushPlatform(platform)) return cleared;
  return { $case: 'tokenSet', value: tokenOf({ text: own.token, hash: own.th! }, platform) };
}

/** Another device of the new platform may have the token. */
export function tokenChange(own: Device, { token, platform }: RegisterDevice): Change | undefined {
  if (token === undefined) return kept(own, platform);
  if (token === null) return own.token === undefined ? undefined : cleared;
  if (own.token === token.text && own.platform === platform) return undefined;
  return { $case: 'tokenSet', value: tokenOf(token, platform) };
}

import type { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { TokenRemoval } from '@tidings/events/generated/tidings/events/v1/devices';
import { Fault, isPushPlatform, Platform } from '@tidings/kernel';
import type { NewToken, RegisterDevice } from './action.ts';
import type { Device } from './device.ts';

type Change = NonNullable<DeviceEvent['event']>;

export const tokenOf = (token: NewToken, platform: number) => ({ token: token.text, tokenHash: token.hash, platform });

const cleared: Change = { $case: 'tokenRemoved', value: { reason: TokenRemoval.TOKEN_REMOVAL_CLEARED } };

/** Whether an e-mail contact is registered without an address: it is valid only if one is stored (R-C1). */
export const lacksAddress = ({ platform, token }: RegisterDevice): boolean => platform === Platform.Email && !token;

/** Checks that an e-mail contact has an address, stored or given. @throws Fault `argument` otherwise, with the text of R-E2 */
export function checkAddress(own: Device | undefined, command: RegisterDevice): void {
  if (!lacksAddress(command)) return;
  const isKept = command.token === undefined && own?.platform === Platform.Email && own.token !== undefined;
  if (!isKept) throw Fault.argument('Email address has invalid count of parts');
}

/** The stored token if none is given: it stays, except between contacts and push platforms, whose addresses and tokens do not mix (R-C1). */
function kept(own: Device, platform: number): Change | undefined {
  if (own.token === undefined || own.platform === platform) return undefined;
  if (!isPushPlatform(own.platform) || !isPushPlatform(platform)) return cleared;
  return { $case: 'tokenSet', value: tokenOf({ text: own.token, hash: own.th! }, platform) };
}

/** The change of the stored token by a registration, if any. After a change of platform a token is new: it may belong to another device there. */
export function tokenChange(own: Device, { token, platform }: RegisterDevice): Change | undefined {
  if (token === undefined) return kept(own, platform);
  if (token === null) return own.token === undefined ? undefined : cleared;
  if (own.token === token.text && own.platform === platform) return undefined;
  return { $case: 'tokenSet', value: tokenOf(token, platform) };
}

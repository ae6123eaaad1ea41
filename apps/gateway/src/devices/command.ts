import type { DeviceCommand, Register } from '@tidings/rpc';
import { isPushPlatform } from '@tidings/kernel';
import type { Call, Context } from '../context.ts';

/** A device, or all devices of a user (R-C6). */
export interface Addressee {
  readonly application: string;
  readonly hwid?: string | undefined;
  readonly userId?: string | undefined;
  /** The platform of an unknown device to create (R-C7). @default the device must exist */
  readonly device_type?: number | undefined;
}

/** Located by the client's address if the request names no place (R-RES17). */
export const registration = (
  { locate }: Pick<Context, 'locate'>,
  { address }: Call,
  device: Omit<Register, 'located'>,
): { readonly $case: 'register'; readonly value: Register } => ({
  $case: 'register',
  value: { ...device, located: locate(address) },
});

/** A repeat with the caller's Idempotency-Key has no second effect (R-ER11). */
export function commandOf(
  call: Call,
  { application, hwid, userId, device_type: platform }: Addressee,
  command: DeviceCommand['command'],
): DeviceCommand {
  const { account, idempotencyKey } = call;
  // An e-mail contact needs its address, and an e-mail-only plan (R-E3) allows no other platform.
  const isAllowed = platform !== undefined && isPushPlatform(platform) && !call.application?.emailOnly;
  return {
    account,
    application,
    hwid: hwid ?? '',
    // The hwid prevails.
    userId: hwid === undefined ? (userId ?? '') : '',
    idempotencyKey,
    platform: isAllowed ? platform : undefined,
    command,
  };
}

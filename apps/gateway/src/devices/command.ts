import type { DeviceCommand, Register } from '@tidings/rpc';
import { isPushPlatform } from '@tidings/kernel';
import type { Call, Context } from '../context.ts';

/** The addressee of a command: a device, or all devices of a user (R-C6). */
export interface Addressee {
  readonly application: string;
  readonly hwid?: string | undefined;
  readonly userId?: string | undefined;
  /** The platform of the device to create if it is unknown (R-C7). @default the device must exist */
  readonly device_type?: number | undefined;
}

/** The registration of a device by its client, with the place of the client's address for a request that names none (R-RES17). */
export const registration = (
  { locate }: Pick<Context, 'locate'>,
  { address }: Call,
  device: Omit<Register, 'located'>,
): { readonly $case: 'register'; readonly value: Register } => ({
  $case: 'register',
  value: { ...device, located: locate(address) },
});

/** A command of this call; a repeat with the caller's Idempotency-Key has no second effect (R-ER11). */
export function commandOf(
  call: Call,
  { application, hwid, userId, device_type: platform }: Addressee,
  command: DeviceCommand['command'],
): DeviceCommand {
  const { account, idempotencyKey } = call;
  // Only push platforms create an unknown device: an e-mail contact needs its address, and an e-mail-only plan (R-E3) allows no other platform.
  const isAllowed = platform !== undefined && isPushPlatform(platform) && !call.application?.emailOnly;
  return {
    account,
    application,
    hwid: hwid ?? '',
    // The hwid prevails where both are given.
    userId: hwid === undefined ? (userId ?? '') : '',
    idempotencyKey,
    platform: isAllowed ? platform : undefined,
    command,
  };
}

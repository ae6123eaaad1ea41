import type { DeviceCommand } from '@tidings/rpc';
import { isPushPlatform } from '@tidings/kernel';
import type { Call } from '../../context.ts';

/** The addressee of a command: a device, or all devices of a user (R-C6). */
export interface Addressee {
  readonly application: string;
  readonly hwid?: string | undefined;
  readonly userId?: string | undefined;
  /** The platform of the device to create if it is unknown (R-C7). @default the device must exist */
  readonly device_type?: number | undefined;
}

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

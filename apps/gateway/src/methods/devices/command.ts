import type { DeviceCommand } from '@tidings/rpc';
import { isPushPlatform } from '@tidings/kernel';
import type { Call } from '../../context.ts';

/** Whom a command is for: a device, or all devices of a user (R-C6). */
export interface Addressee {
  readonly application: string;
  readonly hwid?: string | undefined;
  readonly userId?: string | undefined;
  /** What the device becomes where nobody knows it yet (R-C7). @default it must be known */
  readonly device_type?: number | undefined;
}

/** A command of this call; a repeat with the caller's Idempotency-Key has no second effect (R-ER11). */
export function commandOf(
  call: Call,
  { application, hwid, userId, device_type: platform }: Addressee,
  command: DeviceCommand['command'],
): DeviceCommand {
  const { account, idempotencyKey } = call;
  // Where nothing but mail is allowed (R-E3), no record is made of anything else; nor is one of a contact without its address.
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

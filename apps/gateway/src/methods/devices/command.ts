import type { DeviceCommand } from '@tidings/rpc';
import type { Call } from '../../context.ts';

/** Whom a command is for: a device, or all devices of a user (R-C6). */
export interface Addressee {
  readonly application: string;
  readonly hwid?: string | undefined;
  readonly userId?: string | undefined;
}

/** A command of this call; a repeat with the caller's Idempotency-Key has no second effect (R-ER11). */
export function commandOf(
  call: Call,
  { application, hwid, userId }: Addressee,
  command: DeviceCommand['command'],
): DeviceCommand {
  const { account, idempotencyKey } = call;
  return {
    account,
    application,
    hwid: hwid ?? '',
    // The hwid prevails where both are given.
    userId: hwid === undefined ? (userId ?? '') : '',
    idempotencyKey,
    command,
  };
}

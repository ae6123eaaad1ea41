import type { DeviceCommand, Register } from '@tidings/rpc';
import { isPushPlatform } from '@tidings/kernel';
import type { Call, Context } from '../context.ts';

export interface Addressee {
  readonly application: string;
  readonly hwid?: string | undefined;
  readonly userId?: string | undefined;
  readonly device_type?: number | undefined;
}

export const registration = (
  { locate }: Pick<Context, 'locate'>,
  { address }: Call,
  device: Omit<Register, 'located'>,
): { readonly $case: 'register'; readonly value: Register } => ({
  $case: 'register',
  value: { ...device, located: locate(address) },
});

export function commandOf(
  call: Call,
  { application, hwid, userId, device_type: platform }: Addressee,
  command: DeviceCommand['command'],
): DeviceCommand {
  const { account, idempotencyKey } = call;
  // An e-mail contact needs its address; an e-mail-only plan allows no other platform (R-E3).
  const isAllowed = platform !== undefined && isPushPlatform(platform) && !call.application?.emailOnly;
  return {
    account,
    application,
    hwid: hwid ?? '',
    userId: hwid === undefined ? (userId ?? '') : '',
    idempotencyKey,
    platform: isAllowed ? platform : undefined,
    command,
  };
}

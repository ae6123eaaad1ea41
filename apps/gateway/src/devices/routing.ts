import type { KeyObject } from 'node:crypto';
import { deviceLogOf, hwidHashOf } from '@tidings/audience';
import type { DeviceCommand } from '@tidings/rpc';

export const logOfCommand =
  (deviceKey: () => KeyObject) =>
  ({ account, hwid, userId }: DeviceCommand): string =>
    deviceLogOf(hwidHashOf(deviceKey(), account, hwid === '' ? userId : hwid));

/** `{operation: 'increment'}` is not idempotent. */
const isOperation = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

export function isRepeatable({ command, idempotencyKey }: DeviceCommand): boolean {
  if (idempotencyKey !== '') return true;
  switch (command?.$case) {
    case 'register':
    case 'setTags':
      return !Object.values(command.value.tags ?? {}).some(isOperation);
    case 'recordEvent':
      return false;
    case 'open':
    case 'unregister':
    case 'erase':
    case 'setBadge':
    case 'bindUser':
    case 'setPushToStartToken':
    case 'setActivityToken':
    case undefined:
      return true;
  }
}

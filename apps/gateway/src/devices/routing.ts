import type { KeyObject } from 'node:crypto';
import { deviceLogOf, hwidHashOf } from '@tidings/audience';
import type { DeviceCommand } from '@tidings/rpc';

/** The log of the device that a command is about. A user's devices may be in others, too: that costs a conflict at worst. */
export const logOfCommand =
  (deviceKey: () => KeyObject) =>
  ({ account, hwid, userId }: DeviceCommand): string =>
    deviceLogOf(hwidHashOf(deviceKey(), account, hwid === '' ? userId : hwid));

/** `{operation: 'increment'}` adds up; other operations are taken for it, too. */
const isOperation = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** True where a second execution of the command leaves what the first one did: it sets values, or its key remembers it (R-ER11). */
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

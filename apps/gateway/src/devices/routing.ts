import type { KeyObject } from 'node:crypto';
import { deviceLogOf, hwidHashOf } from '@tidings/audience';
import type { DeviceCommand } from '@tidings/rpc';

/** The log of the device that a command is about. Other devices of the same user may be in other logs, which costs at most a conflict. */
export const logOfCommand =
  (deviceKey: () => KeyObject) =>
  ({ account, hwid, userId }: DeviceCommand): string =>
    deviceLogOf(hwidHashOf(deviceKey(), account, hwid === '' ? userId : hwid));

/** `{operation: 'increment'}` is not idempotent; other operations are treated like it. */
const isOperation = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** True if a second execution of the command has the same effect as one: it sets values, or its idempotency key is remembered (R-ER11). */
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

import type { testDeviceMethods } from '@tidings/contract';
import type { Serves } from '../../context.ts';
import { createTestDevice } from './createTestDevice.ts';
import { listTestDevices } from './listTestDevices.ts';

export const testDeviceHandlers = {
  createTestDevice,
  listTestDevices,
} satisfies Serves<typeof testDeviceMethods>;

import { createTestDevice } from './createTestDevice.ts';
import { listTestDevices } from './listTestDevices.ts';

/** The methods of test devices. */
export const testDeviceMethods = {
  createTestDevice,
  listTestDevices,
} as const;

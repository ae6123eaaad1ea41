import { createTestDevice } from './createTestDevice.ts';
import { listTestDevices } from './listTestDevices.ts';

export const testDeviceMethods = {
  createTestDevice,
  listTestDevices,
} as const;

export { createTestDevice } from './createTestDevice.ts';
export { listTestDevices } from './listTestDevices.ts';

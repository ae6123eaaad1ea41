import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault } from '@tidings/kernel';
import { checkSize } from './limits.ts';

export interface TestDevice {
  readonly pushToken: string;
  readonly platform: number;
  readonly name: string;
  readonly description: string;
  readonly language?: string | undefined;
}

/** An application's test devices, oldest first: no devices of its audience (R-L1). */
export interface TestDevicesState {
  readonly kind: 'testDevices';
  readonly account: string;
  readonly application: string;
  readonly devices: readonly TestDevice[];
}

export interface TestDeviceAction {
  readonly type: 'setTestDevice';
  readonly application: string;
  readonly device: TestDevice;
}

/** R-L1. */
export const MAX_TEST_DEVICES = 500;
/** They are one state, which must fit the store. */
const MAX_TOGETHER_MEBIBYTES = 3;

type Change = NonNullable<AccountEvent['event']>;

const bytesOf = (devices: readonly TestDevice[]): number => Buffer.byteLength(JSON.stringify(devices));

/**
 * What follows from setting a test device of an application of the account. The same push token again changes it. Together they take
 * up to 3 MiB. Pure.
 */
export function decideTestDevice(
  state: TestDevicesState | undefined,
  { application, device }: TestDeviceAction,
): Change[] {
  const known = state?.devices ?? [];
  if (known.length >= MAX_TEST_DEVICES && !known.some(({ pushToken }) => pushToken === device.pushToken)) {
    throw Fault.argument(`at most ${MAX_TEST_DEVICES} test devices`);
  }
  const others = known.filter(({ pushToken }) => pushToken !== device.pushToken);
  checkSize('test devices', bytesOf([...others, device]), MAX_TOGETHER_MEBIBYTES);
  return [{ $case: 'testDeviceSet', value: { application, ...device, language: device.language } }];
}

/** The application's test devices after the event. */
export function evolveTestDevices(
  state: TestDevicesState | undefined,
  { account, event }: AccountEvent,
): TestDevicesState | undefined {
  if (event?.$case === 'testDevicesRemoved') return state && { ...state, devices: [] };
  if (event?.$case !== 'testDeviceSet') return state;
  const { application, ...device } = event.value;
  const devices = [...(state?.devices ?? [])];
  const place = devices.findIndex(({ pushToken }) => pushToken === device.pushToken);
  if (place < 0) devices.push(device);
  else devices[place] = device;
  return { kind: 'testDevices', account, application, devices };
}

import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { quotaReached } from '@tidings/kernel';
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

/** They are one state, which must fit the store whatever their quota is. */
const MAX_TOGETHER_MEBIBYTES = 3;

type Change = NonNullable<AccountEvent['event']>;

const isSame = (a: TestDevice, b: TestDevice): boolean =>
  a.platform === b.platform && a.name === b.name && a.description === b.description && a.language === b.language;

const bytesOf = (devices: readonly TestDevice[]): number => Buffer.byteLength(JSON.stringify(devices));

/**
 * What follows from setting a test device of an application of the account. The same push token again changes it, the same device again
 * nothing. Together they take up to 3 MiB. Pure.
 * @param limit how many an application may have
 */
export function decideTestDevice(
  state: TestDevicesState | undefined,
  { application, device }: TestDeviceAction,
  limit: number,
): Change[] {
  const known = state?.devices ?? [];
  const before = known.find(({ pushToken }) => pushToken === device.pushToken);
  if (before && isSame(before, device)) return [];
  if (!before && known.length >= limit) throw quotaReached('testDevices', limit);
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

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

/** An application's test devices, oldest first; they do not belong to its audience (R-L1). */
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

/** Maximum size of all test devices together: they are one state, which must fit into the store regardless of their quota. */
const MAX_TOGETHER_MEBIBYTES = 3;

type Change = NonNullable<AccountEvent['event']>;

const isSame = (a: TestDevice, b: TestDevice): boolean =>
  a.platform === b.platform && a.name === b.name && a.description === b.description && a.language === b.language;

const bytesOf = (devices: readonly TestDevice[]): number => Buffer.byteLength(JSON.stringify(devices));

/**
 * The events of setting a test device of the account's application. The same push token changes it, the same device has no effect. Together they take
 * up to 3 MiB. Pure.
 * @param limit maximum number per application
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

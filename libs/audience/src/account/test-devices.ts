import { hash } from 'node:crypto';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { CHUNK_SIZE, quotaReached } from '@tidings/kernel';
import { checkSize } from './limits.ts';

export interface TestDevice {
  readonly pushToken: string;
  readonly platform: number;
  readonly name: string;
  readonly description: string;
  readonly language?: string | undefined;
  readonly unconfirmed?: boolean | undefined;
  readonly position?: number | undefined;
}

/** Oldest first, outside the audience (R-L1). */
export interface TestDevicesState {
  readonly kind: 'testDevices';
  readonly account: string;
  readonly application: string;
  readonly devices: readonly TestDevice[];
  readonly nextPosition?: number | undefined;
}

export type TestDeviceAction =
  | {
      readonly type: 'setTestDevice';
      readonly application: string;
      readonly device: Omit<TestDevice, 'unconfirmed' | 'position'>;
      readonly isAnonymous?: boolean;
    }
  | {
      readonly type: 'confirmTestDevice';
      readonly application: string;
      readonly tokenHash: string;
      readonly confirmed: boolean;
    }
  | { readonly type: 'deleteTestDevice'; readonly application: string; readonly tokenHash: string };

/** They are one state, which must fit into the store. */
const MAX_TOGETHER_MEBIBYTES = 3;

type Change = NonNullable<AccountEvent['event']>;

export const testDeviceHash = ({ pushToken }: Pick<TestDevice, 'pushToken'>): string => hash('sha256', pushToken);

export const testDevicePositions = (devices: readonly TestDevice[]): readonly number[] =>
  devices.map(({ position }, index) => position ?? index);

/** A message under way must not reach the next owner. */
function newPosition({ devices, nextPosition = devices.length }: Pick<TestDevicesState, 'devices' | 'nextPosition'>) {
  const usedPositions = new Set(testDevicePositions(devices));
  let position = nextPosition % CHUNK_SIZE;
  while (usedPositions.has(position)) position = (position + 1) % CHUNK_SIZE;
  return position;
}

const isSame = (a: TestDevice, b: TestDevice): boolean =>
  a.platform === b.platform &&
  a.name === b.name &&
  a.description === b.description &&
  a.language === b.language &&
  (a.unconfirmed ?? false) === (b.unconfirmed ?? false);

const sizeOf = (device: TestDevice): number => Buffer.byteLength(JSON.stringify(device)) + 1;
const bytesOf = (devices: readonly TestDevice[]): number => devices.reduce((sum, device) => sum + sizeOf(device), 2);

function evicted(others: readonly TestDevice[], device: TestDevice, limit: number): readonly TestDevice[] {
  let count = others.length + 1;
  let bytes = bytesOf([...others, device]);
  const removed: TestDevice[] = [];
  for (const other of others) {
    if (count <= limit && bytes <= MAX_TOGETHER_MEBIBYTES * 2 ** 20) break;
    if (!other.unconfirmed) continue;
    removed.push(other);
    count--;
    bytes -= sizeOf(other);
  }
  return removed;
}

function setTestDevice(
  existing: readonly TestDevice[],
  { application, device, isAnonymous = false }: TestDeviceAction & { readonly type: 'setTestDevice' },
  limit: number,
): Change[] {
  const before = existing.find(({ pushToken }) => pushToken === device.pushToken);
  const unconfirmed = isAnonymous && (!before || before.unconfirmed === true);
  const next = { ...device, unconfirmed };
  if (before && isSame(before, next)) return [];
  const others = existing.filter((other) => other !== before);
  const gone = isAnonymous ? [] : evicted(others, next, before ? Infinity : limit);
  const rest = others.filter((other) => !gone.includes(other));
  if (!before && rest.length >= limit) throw quotaReached('testDevices', limit);
  checkSize('test devices', bytesOf([...rest, next]), MAX_TOGETHER_MEBIBYTES);
  return [
    ...gone.map(({ pushToken }): Change => ({ $case: 'testDeviceRemoved', value: { application, pushToken } })),
    { $case: 'testDeviceSet', value: { application, ...device, language: device.language, unconfirmed } },
  ];
}

export function decideTestDevice(
  state: TestDevicesState | undefined,
  action: TestDeviceAction,
  limit: number,
): Change[] {
  const existing = state?.devices ?? [];
  if (action.type === 'setTestDevice') return setTestDevice(existing, action, limit);
  const { application, tokenHash } = action;
  const device = existing.find((each) => testDeviceHash(each) === tokenHash);
  if (!device) return [];
  if (action.type === 'deleteTestDevice') {
    return [{ $case: 'testDeviceRemoved', value: { application, pushToken: device.pushToken } }];
  }
  if (action.confirmed === !device.unconfirmed) return [];
  const { position: _position, ...fields } = device;
  const value = { application, ...fields, language: device.language, unconfirmed: !action.confirmed };
  return [{ $case: 'testDeviceSet', value }];
}

function withDevice(
  state: Pick<TestDevicesState, 'devices' | 'nextPosition'>,
  { unconfirmed, ...fields }: TestDevice,
): Pick<TestDevicesState, 'devices' | 'nextPosition'> {
  const { devices, nextPosition } = state;
  const device = unconfirmed ? { ...fields, unconfirmed } : fields;
  const place = devices.findIndex(({ pushToken }) => pushToken === device.pushToken);
  if (place >= 0) {
    const position = testDevicePositions(devices)[place]!;
    return { devices: devices.with(place, { ...device, position }), nextPosition };
  }
  const position = newPosition(state);
  return { devices: [...devices, { ...device, position }], nextPosition: position + 1 };
}

const withoutDevice = (state: TestDevicesState, pushToken: string): TestDevicesState => ({
  ...state,
  devices: testDevicePositions(state.devices)
    .map((position, index) => ({ ...state.devices[index]!, position }))
    .filter((device) => device.pushToken !== pushToken),
  nextPosition: state.nextPosition ?? state.devices.length,
});

export function evolveTestDevices(
  state: TestDevicesState | undefined,
  { account, event }: AccountEvent,
): TestDevicesState | undefined {
  switch (event?.$case) {
    case 'testDevicesRemoved':
      return state && { ...state, devices: [] };
    case 'testDeviceRemoved':
      return state && withoutDevice(state, event.value.pushToken);
    case 'testDeviceSet': {
      const { application, ...device } = event.value;
      return { kind: 'testDevices', account, application, ...withDevice(state ?? { devices: [] }, device) };
    }
    default:
      return state;
  }
}

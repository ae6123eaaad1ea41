import type { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import type { Device } from './device.ts';

export interface DeviceIdentity {
  readonly account: string;
  readonly application: string;
  readonly hwidHash: string;
  readonly hwid: string;
}

export const eventOf = (
  identity: DeviceIdentity,
  seq: number,
  at: Date,
  event: NonNullable<DeviceEvent['event']>,
): DeviceEvent => ({
  stamp: undefined,
  account: identity.account,
  application: identity.application,
  hwidHash: identity.hwidHash,
  hwid: identity.hwid,
  seq,
  at,
  previous: 0n,
  event,
});

export const identityOf = (device: Device): DeviceIdentity => ({
  account: device.account,
  application: device.app,
  hwidHash: device.hwidHash,
  hwid: device.hwid,
});

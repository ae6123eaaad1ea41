import { type ChunkKey, devicesOf, messageChunkKey } from '@tidings/delivery';
import type { DocumentAddress } from '@tidings/event-store';
import type { PlanEvent } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { bytesOf } from '@tidings/mongo';
import type { Binary } from 'mongodb';

export const PLANNED_DEVICES = 'plannedDevices';

export interface PlannedDevices {
  readonly devices: Bitmap;
}

export interface PlannedDevicesDocument {
  readonly devices: Binary | Uint8Array;
}

export const plannedDevicesAt = (key: Omit<ChunkKey, 'bucket'>): DocumentAddress => ({
  collection: PLANNED_DEVICES,
  id: messageChunkKey(key),
});

export const plannedDevicesOfEvent = ({ event, ...of }: PlanEvent): DocumentAddress | undefined =>
  event?.$case === 'chunk' && event.value.once ? plannedDevicesAt({ ...of, chunk: event.value.chunk }) : undefined;

export function withPlanned(before: PlannedDevices | undefined, { event }: PlanEvent): PlannedDevices {
  if (event?.$case !== 'chunk') throw new Error(`planned devices: cannot apply ${event?.$case}`);
  return { devices: devicesOf(event.value).union(before?.devices ?? Bitmap.empty) };
}

export const plannedDevicesDocument = ({ devices }: PlannedDevices): PlannedDevicesDocument => ({
  devices: devices.encode(),
});

export const plannedDevices = ({ devices }: PlannedDevicesDocument): PlannedDevices => ({
  devices: Bitmap.decode(bytesOf(devices)),
});

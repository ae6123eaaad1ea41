import { bytesOf, Stamp, written } from '@tidings/events';
import { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';

export const encodeEvent = (event: DeviceEvent): Uint8Array => bytesOf(DeviceEvent, event);

const STAMP_FIELD = (1 << 3) | 2;

/** A stamp in front of the stored bytes is a valid protobuf encoding. */
export const stampedEvent = (encoded: Uint8Array, stamp: Stamp): Uint8Array =>
  written((writer) => Stamp.encode(stamp, writer.uint32(STAMP_FIELD).fork()).join().raw(encoded));

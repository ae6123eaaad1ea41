import { bytesOf, Stamp } from '@tidings/events';
import { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';

/** Bytes of events that this process has just written: the relay publishes them a moment later. */
const written = new WeakMap<DeviceEvent, Uint8Array>();

/** An event as it is stored: without a stamp, because its commit says where it stands. */
export function encodeEvent(event: DeviceEvent): Uint8Array {
  const bytes = bytesOf(DeviceEvent, event);
  written.set(event, bytes);
  return bytes;
}

const STAMP_FIELD = (1 << 3) | 2;

/** An event as it is published: the stored bytes behind a stamp, which is how protobuf writes a message field by field. */
export function stampedEvent(event: DeviceEvent, stamp: Stamp): Uint8Array {
  const bytes = written.get(event) ?? bytesOf(DeviceEvent, event);
  const stampBytes = bytesOf(Stamp, stamp);
  // A name of a log and two numbers: their length always takes one byte.
  const stamped = new Uint8Array(2 + stampBytes.length + bytes.length);
  stamped[0] = STAMP_FIELD;
  stamped[1] = stampBytes.length;
  stamped.set(stampBytes, 2);
  stamped.set(bytes, 2 + stampBytes.length);
  return stamped;
}

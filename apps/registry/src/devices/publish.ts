import type { Commit } from '@tidings/event-store';
import { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import type { OutRecord } from '@tidings/streaming';

/** What a commit of a devices log says on `tidings.devices`: everything but the keys that were used up. */
export const deviceRecords = ({ log, n, events }: Commit<DeviceEvent>): OutRecord[] =>
  events.flatMap((event, index) =>
    event.event?.$case === 'keyUsed'
      ? []
      : [
          {
            key: `${event.application}/${event.hwid}`,
            value: DeviceEvent.encode({ ...event, stamp: { log, n: BigInt(n), index } }).finish(),
          },
        ],
  );

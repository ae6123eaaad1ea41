import type { Commit, RelayedRecord } from '@tidings/event-store';
import { topicNames } from '@tidings/events';
import type { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { stampedEvent } from './codec.ts';

/** What a commit of a devices log says on `tidings.devices`: everything but the keys that were used up. */
export function deviceRecords({ log, n, events }: Commit<DeviceEvent>): RelayedRecord[] {
  const records: RelayedRecord[] = [];
  events.forEach((event, index) => {
    if (event.event?.$case === 'keyUsed') return;
    const value = stampedEvent(event, { log, n: BigInt(n), index });
    records.push({ topic: topicNames.devices, key: `${event.application}/${event.hwid}`, value });
  });
  return records;
}

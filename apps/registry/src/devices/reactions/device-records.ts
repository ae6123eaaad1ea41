import { chunkRecordKey } from '@tidings/delivery';
import type { Commit, RelayedRecord } from '@tidings/event-store';
import { Conversion, type Stamp, topicNames } from '@tidings/events';
import type { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { chunkOf, positionOf } from '@tidings/kernel';
import { stampedEvent } from '../storage/event-codec.ts';

const DATED_BACK_MS = 72 * 3_600_000;

/** A device's clock may be wrong (R-X1). */
function timeOf(reported: Date | undefined, happened: Date | undefined): Date | undefined {
  if (!reported || !happened) return reported;
  const [last, ms] = [reported.getTime(), happened.getTime()];
  return new Date(Math.min(last, Math.max(last - DATED_BACK_MS, ms)));
}

function conversionOf({ account, application, seq, at, event }: DeviceEvent, stamp: Stamp): RelayedRecord[] {
  if (event?.$case !== 'occurred' || event.value.name === '') return [];
  const chunk = chunkOf(seq);
  const value = Conversion.encode({
    stamp,
    account,
    application,
    chunk,
    position: positionOf(seq),
    at: timeOf(at, event.value.happenedAt),
    ...event.value,
  });
  return [{ topic: topicNames.conversions, key: chunkRecordKey({ application, chunk }), value: value.finish() }];
}

const isPublished = ({ event }: DeviceEvent): boolean => {
  if (event?.$case === 'erased') return !event.value.withApplication;
  return event?.$case !== 'keyUsed' && event?.$case !== 'batchApplied';
};

/** Omits erasures with the application, for which no other erasure waits. */
export function deviceRecords({ log, position, events, encoded }: Commit<DeviceEvent>): RelayedRecord[] {
  const records: RelayedRecord[] = [];
  events.forEach((event, index) => {
    if (!isPublished(event)) return;
    const stamp = { log, position: BigInt(position), index };
    const key = `${event.application}/${event.hwid}`;
    records.push({ topic: topicNames.devices, key, value: stampedEvent(encoded[index]!, stamp) });
    records.push(...conversionOf(event, stamp));
  });
  return records;
}

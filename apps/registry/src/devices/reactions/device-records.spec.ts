import { expect, it } from '@jest/globals';
import { Conversion, topicNames } from '@tidings/events';
import { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { deviceRecords } from './device-records.ts';

const HOUR_MS = 3_600_000;
const REPORTED = Date.parse('2026-01-15T12:00:00Z');

function timeOf(happenedAt: number | undefined): string | undefined {
  const event = DeviceEvent.fromPartial({
    account: 'a',
    application: 'A',
    hwid: 'h',
    seq: 1,
    at: new Date(REPORTED),
    event: {
      $case: 'occurred',
      value: { name: 'Buy', ...(happenedAt === undefined ? {} : { happenedAt: new Date(happenedAt) }) },
    },
  });
  const commit = { log: 'devices-0', position: 1, events: [event], encoded: [DeviceEvent.encode(event).finish()] };
  const records = deviceRecords(commit as unknown as Parameters<typeof deviceRecords>[0]);
  const { value } = records.find(({ topic }) => topic === topicNames.conversions)!;
  return Conversion.decode(value).at?.toISOString();
}

it.each([
  [undefined, 0],
  [-1, -1],
  [-72, -72],
  [-73, -72],
  [1, 0],
])('an event dated %s hours after its report counts %s hours after it (R-X1)', (dated, counted) => {
  const happenedAt = dated === undefined ? undefined : REPORTED + dated * HOUR_MS;
  expect(timeOf(happenedAt)).toBe(new Date(REPORTED + counted * HOUR_MS).toISOString());
});

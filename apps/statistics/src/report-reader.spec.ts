import { describe, expect, it } from '@jest/globals';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { facts, ReportKind, Reports } from '@tidings/events';
import fc from 'fast-check';
import { gatherReports } from './report-changes.ts';
import { isDeviceReport, reportReader } from './report-reader.ts';

const { REPORT_KIND_DELIVERED: DELIVERED, REPORT_KIND_OPENED: OPENED } = ReportKind;
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const kinds = fc.oneof(fc.constantFrom(DELIVERED, OPENED), fc.integer({ min: 0, max: 300 }));
const rows = fc.array(fc.tuple(fc.nat(65_535), uint32, uint32), { maxLength: 3 });

const records = fc
  .record({
    kind: kinds,
    rows,
    message: fc.string(),
    messageId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    account: fc.string({ maxLength: 200 }),
    application: fc.string(),
    chunk: uint32,
    isOfMail: fc.boolean(),
  })
  .map(({ rows: devices, isOfMail, ...identity }) => ({
    ...identity,
    positions: devices.map(([position]) => position),
    platforms: devices.map(([, platform]) => platform),
    at: devices.map(([, , second]) => second),
    opens: isOfMail ? devices.map(() => 1) : [],
  }));

const encoded = (report: Partial<Reports>): Uint8Array =>
  Reports.encode({ ...Reports.fromPartial({}), ...report }).finish();
const delivery = { message: 'M', messageId: 2n ** 60n, account: 'a', application: 'A', chunk: 300, kind: DELIVERED };
const device = { positions: [40_000], platforms: [3], at: [1_700_000_000] };

function readBy<Value extends Parameters<typeof gatherReports>[0][number]['value']>(
  reader: { decode(payload: Uint8Array): Value; isKnown(value: Value): boolean },
  payload: Uint8Array,
): unknown {
  try {
    const value = reader.decode(payload);
    return { isKnown: reader.isKnown(value), gathered: gatherReports([{ key: 'k', value }]) };
  } catch (error) {
    return String(error);
  }
}

describe('reportReader', () => {
  it('reads every record as the decoder of all fields does', () => {
    fc.assert(
      fc.property(records, (record) => {
        expect(readBy(reportReader, encoded(record))).toEqual(readBy(facts.reports, encoded(record)));
      }),
      { numRuns: 300 },
    );
  });

  it('decodes only the fields of a delivery or an open that add to figures', () => {
    for (const kind of [DELIVERED, OPENED]) {
      const payload = encoded({ ...delivery, kind, ...device });
      const expected = { kind, position: 40_000, platform: 3, second: 1_700_000_000, payload };
      expect(reportReader.decode(payload)).toEqual(expected);
    }
  });

  it('reads records of devices without an optional field, and at the limits of numbers', () => {
    const payload = encoded({ kind: OPENED, positions: [0], platforms: [0], at: [2 ** 32 - 1] });
    expect(reportReader.decode(payload)).toMatchObject({ position: 0, platform: 0, second: 2 ** 32 - 1 });
  });

  it.each([
    ['several devices', encoded({ ...delivery, positions: [1, 2], platforms: [1, 1], at: [5, 6] })],
    ['another kind', encoded({ ...delivery, ...device, kind: ReportKind.REPORT_KIND_INBOX_READ })],
    ['a later field', encoded({ ...delivery, ...device, sentAt: [1] })],
    ['a field of a newer version', Buffer.concat([encoded({ ...delivery, ...device }), Buffer.of(0x98, 0x06, 1)])],
    ['a list that is not packed', new BinaryWriter().raw(encoded(delivery)).uint32(56).uint32(7).finish()],
  ])('decodes a record with %s whole', (_, payload) => {
    expect(isDeviceReport(reportReader.decode(payload))).toBe(false);
    expect(readBy(reportReader, payload)).toEqual(readBy(facts.reports, payload));
  });

  it('refuses the same incomplete records, and reads the same ones', () => {
    const payload = encoded({ ...delivery, ...device });
    for (let length = 0; length < payload.length; length++) {
      const part = payload.subarray(0, length);
      expect(readBy(reportReader, part)).toEqual(readBy(facts.reports, part));
    }
  });
});

import { beforeAll, expect, it } from '@jest/globals';
import { type Expression, Operator, TagType } from '@tidings/events';
import { createCollections } from '@tidings/mongo';
import { chooseLookup, compilePredicate } from '@tidings/segments';
import {
  sampleDevice,
  sampleElsewhere,
  sampleExpression,
  sampleNow,
  sampleViewpoint,
  valuesOf,
} from '@tidings/segments/arbitraries';
import { isInSet } from '@tidings/segments/naive';
import fc from 'fast-check';
import type { Collection } from 'mongodb';
import { type DeviceDocument, DEVICES } from '../devices/device-document.ts';
import { Columns } from './columns.ts';
import { deviceLayout, DeviceScan } from './scan.ts';
import { describeWithMongo } from '@tidings/testing';
import { devicesModel } from '../storage/devices.schema.ts';
import { tagExpression as tag, taggedDevice as device } from '../testing/devices.ts';

let devices: Collection<DeviceDocument>;

const siblingOf = (of: DeviceDocument, seq: number, app = sampleElsewhere): DeviceDocument => ({
  ...of,
  _id: `${app}:${of.hwidHash}`,
  app,
  seq,
});

describeWithMongo('scan', (mongo) => {
  beforeAll(async () => {
    await createCollections(mongo.db, [devicesModel]);
    devices = mongo.db.collection<DeviceDocument>(DEVICES);
  });

  it('finds on MongoDB the devices that the predicate matches', async () => {
    const scan = new DeviceScan(mongo.db);
    const columns = new Columns();
    const app = sampleViewpoint.application;
    await fc.assert(
      fc.asyncProperty(
        fc.array(sampleDevice, { minLength: 1, maxLength: 20 }),
        fc.array(sampleExpression, { minLength: 1, maxLength: 5 }),
        async (drawn, expressions) => {
          await devices.deleteMany({ app });
          const bare = { lang: undefined, tz: undefined, token: undefined };
          await devices.insertMany(drawn.map((each, seq) => ({ ...device(app, seq), ...bare, ...each })));
          for (const expression of expressions) {
            const predicate = compilePredicate(expression, sampleViewpoint);
            const expected = drawn.flatMap((each, seq) =>
              each.token !== undefined &&
              predicate.matches(predicate.tags.map((slot) => valuesOf(each, slot.tag, slot.type)))
                ? [seq]
                : [],
            );
            expect(drawn.flatMap((each, seq) => (each.token && isInSet(expression, each) ? [seq] : []))).toEqual(
              expected,
            );
            const rare = { devices: Array.from({ length: 100 }, () => []), total: 1e6, chunks: 1 };
            for (const lookup of [[], chooseLookup(expression, sampleViewpoint, deviceLayout, rare)]) {
              await scan.selected(columns, { application: app, chunk: 0 }, { expression, now: sampleNow }, lookup, {});
              expect(Array.from(columns.positions.subarray(0, columns.count)).sort((a, b) => a - b)).toEqual(expected);
            }
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('selects the devices in the sets of their siblings (R-O5)', async () => {
    const scan = new DeviceScan(mongo.db);
    const columns = new Columns();
    const app = sampleViewpoint.application;
    const bare = { lang: undefined, tz: undefined, token: undefined };
    const sibling = fc.record({ sample: sampleDevice, status: fc.constantFrom(1, 1, 0) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(sampleDevice, fc.option(sibling, { nil: undefined })), { minLength: 1, maxLength: 20 }),
        fc.array(sampleExpression, { minLength: 1, maxLength: 5 }),
        async (drawn, expressions) => {
          await devices.deleteMany({ app: { $in: [app, sampleElsewhere] } });
          const documents = drawn.flatMap(([own, other], seq) => [
            { ...device(app, seq), ...bare, ...own },
            ...(other
              ? [{ ...siblingOf(device(app, seq), 50 - seq), ...bare, ...other.sample, status: other.status }]
              : []),
          ]);
          await devices.insertMany(documents);
          const registered = drawn.map(([, other]) => (other?.status === 1 ? [[sampleElsewhere, other.sample]] : []));
          const siblings = registered.map((of) => new Map(of as [string, (typeof drawn)[number][0]][]));
          for (const expression of expressions) {
            const isExpected = (own: (typeof drawn)[number][0], seq: number): boolean =>
              isInSet(expression, own, siblings[seq]);
            const expected = drawn.flatMap(([own], seq) => (own.token && isExpected(own, seq) ? [seq] : []));
            const selected = { expression, now: sampleNow, bySiblings: true };
            const rare = { devices: Array.from({ length: 100 }, () => []), total: 1e6, chunks: 1 };
            const viewpoint = { ...sampleViewpoint, bySiblings: true };
            for (const lookup of [[], chooseLookup(expression, viewpoint, deviceLayout, rare)]) {
              await scan.selected(columns, { application: app, chunk: 0 }, selected, lookup, {});
              expect(Array.from(columns.positions.subarray(0, columns.count)).sort((a, b) => a - b)).toEqual(expected);
            }
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('looks up the siblings of every batch, of devices that an index or a time zone selects, too (R-O5)', async () => {
    const [app, other] = ['BATCH-00001', 'BATCH-00002'];
    const numbers = Array.from({ length: 3500 }, (_, seq) => seq);
    const siblings = numbers
      .filter((seq) => seq % 7 === 0)
      .map((seq) => siblingOf(device(app, seq), 3500 - seq, other));
    await devices.insertMany([...numbers.map((seq) => device(app, seq)), ...siblings]);
    const scan = new DeviceScan(mongo.db);
    const columns = new Columns();
    const { TAG_TYPE_INTEGER: INTEGER } = TagType;
    const level = tag(70, INTEGER, Operator.OPERATOR_LTE, 20, other);
    const own = tag(70, INTEGER, Operator.OPERATOR_EQ, 14);
    const both: Expression = { node: { $case: 'all', value: { of: [own, level] } } };
    const found = async (expression: Expression, lookup: readonly number[] = []): Promise<number[]> => {
      const selected = { expression, now: sampleNow, bySiblings: true };
      await scan.selected(columns, { application: app, chunk: 0 }, selected, lookup, {});
      return Array.from(columns.positions.subarray(0, columns.count)).sort((a, b) => a - b);
    };
    const withSibling = numbers.filter((seq) => seq % 7 === 0);
    expect(await found(level)).toEqual(withSibling.filter((seq) => seq % 100 <= 20));
    const expected = withSibling.filter((seq) => seq % 100 === 14);
    expect([await found(both), await found(both, [0])]).toEqual([expected, expected]);
    const complement: Expression = { node: { $case: 'not', value: level } };
    expect(await found(complement)).toEqual(numbers.filter((seq) => seq % 7 !== 0 || seq % 100 > 20));
    const range = { from: 3600, to: 3600 };
    const selected = { expression: both, now: sampleNow, bySiblings: true };
    expect(await scan.first(columns, app, range, selected, 5000)).toBe(true);
    expect(columns.count).toBe(expected.length);
    expect(await scan.count(app, { expression: both, now: sampleNow })).toBe(0);
  });

  it('estimates counts from evenly spread devices, and counts all as long as it may', async () => {
    const app = 'COUNTS-00001';
    const numbers = 20_480;
    const made = Array.from({ length: numbers }, (_, seq) => device(app, seq));
    await devices.insertMany(made, { ordered: false });
    await devices.updateOne({ app, seq: numbers - 1 }, { $set: { status: 0 } });
    const scan = new DeviceScan(mongo.db);
    const { TAG_TYPE_INTEGER: INTEGER } = TagType;
    const half = tag(70, INTEGER, Operator.OPERATOR_LTE, 49);
    const selected = { expression: half, now: sampleNow };
    expect(await scan.estimate(app, selected, () => true)).toEqual({ devices: 10_250, numbers, examined: numbers });
    const sampled = await scan.estimate(app, selected, () => false);
    expect(sampled).toMatchObject({ numbers, examined: 4_096 });
    expect(Math.abs(sampled.devices - 10_250)).toBeLessThan(500);
    let steps = 0;
    expect(await scan.estimate(app, selected, () => ++steps < 2)).toMatchObject({ examined: 8_192 });

    const rare = { expression: tag(70, INTEGER, Operator.OPERATOR_EQ, 99), now: sampleNow };
    expect(await scan.estimate(app, rare, () => true)).toMatchObject({ devices: 204, examined: numbers });
    const never = { ...rare, expression: tag(70, INTEGER, Operator.OPERATOR_EQ, 0.5) };
    expect(await scan.estimate(app, never, () => false)).toMatchObject({ devices: 0 });
    expect(await scan.estimate('NOBODY', rare, () => false)).toEqual({ devices: 0, numbers: 0, examined: 0 });
    const everyone = { expression: undefined, now: sampleNow };
    expect(await scan.estimate(app, everyone, () => true)).toMatchObject({ devices: numbers - 1 });
    await devices.deleteMany({ app });
  });

  it('selects the devices with a token for a live activity, by an index, and their chunks (R-M2)', async () => {
    const app = 'LIVES-00001';
    const holder = (seq: number, ...keys: string[]) => ({
      ...device(app, seq),
      activities: keys.map((k) => ({ k, id: 'id', token: `${k} ${seq}` })),
    });
    const [second, third] = [65_536, 3 * 65_536 + 7];
    await devices.insertMany([
      ...[holder(0, 'a', 'b'), holder(1, 'b'), device(app, 2)],
      ...[holder(second, 'b'), holder(third - 1, 'a'), holder(third, 'a')],
    ]);
    const scan = new DeviceScan(mongo.db);
    const columns = new Columns();
    const found = async (activity: string, chunk: number): Promise<string> => {
      const extras = { activity, fields: ['activityToken'] as const };
      const selected = { expression: undefined, now: sampleNow, activity };
      await scan.selected(columns, { application: app, chunk }, selected, [], extras);
      return columns.fieldTexts.bytes.buffer.toString('utf8', 0, columns.fieldTexts.length);
    };
    expect([await found('a', 0), await found('b', 0), await found('a', 1)]).toEqual(['a 0', 'b 0b 1', '']);
    expect(await found('a', 3)).toBe(`a ${third - 1}a ${third}`);
    expect([await scan.chunksWith(app, 'a'), await scan.chunksWith(app, 'b')]).toEqual([
      [0, 3],
      [0, 1],
    ]);
    expect(await scan.chunksWith(app, 'c')).toEqual([]);
  });

  it('selects the devices that were in a circle within 24 hours (R-I20)', async () => {
    const app = 'PLACE-00001';
    const circle = { lat: 52.5, lng: 13, rangeMeters: 100 };
    /** At 52.5 N a degree of longitude is 67,691 m. */
    const [east, north] = [1 / 67_691, 1 / 111_195];
    const place = (metersEast: number, metersNorth: number, ageMs: number) => ({
      self: {
        place: { lat: 52.5 + metersNorth * north, lng: 13 + metersEast * east, at: sampleNow.getTime() - ageMs },
      },
    });
    const drawn = [
      place(0, 0, 0),
      place(99, 0, 86_400_000),
      place(0, -99, 1),
      // Integers are stored in another type.
      { self: { place: { lat: 52, lng: 13, at: sampleNow.getTime() } } },
      place(101, 0, 0),
      place(0, 101, 0),
      place(80, 80, 0),
      place(0, 0, 86_400_001),
      {},
    ];
    await devices.insertMany(drawn.map((each, seq) => ({ ...device(app, seq), ...each })));
    const scan = new DeviceScan(mongo.db);
    const columns = new Columns();
    const found = async (over: object, lookup: readonly number[] = []): Promise<number[]> => {
      const selected = { expression: undefined, now: sampleNow, circle, ...over };
      await scan.selected(columns, { application: app, chunk: 0 }, selected, lookup, {});
      return Array.from(columns.positions.subarray(0, columns.count)).sort((a, b) => a - b);
    };
    expect(await found({})).toEqual([0, 1, 2]);
    const odd = tag(70, TagType.TAG_TYPE_INTEGER, Operator.OPERATOR_GTE, 1);
    expect(await found({ expression: odd })).toEqual([1, 2]);
    expect(await found({ expression: odd }, [0])).toEqual([1, 2]);
    expect(await found({ circle: { lat: 52, lng: 13, rangeMeters: 50 } })).toEqual([3]);
    expect(await found({ circle: undefined })).toHaveLength(drawn.length);
  });
});

import { describe, expect, it } from '@jest/globals';
import { checkOf, type TagDefinition } from '@tidings/audience';
import { Content, IosContent, SendBatch, TagType } from '@tidings/events';
import { channelOf, ChunkSet, Platform, seqOf } from '@tidings/kernel';
import { compilePredicate } from '@tidings/segments';
import { sampleDevice, sampleExpression, sampleViewpoint, valuesOf } from '@tidings/segments/arbitraries';
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { Columns, MAX_BADGE } from './columns.ts';
import { type BatchHead, BatchWriter } from './emit.ts';
import { WINDOW_SIZE } from './keys.ts';
import { DeviceReader, type Wanted } from './read-device.ts';

const CHUNK = 3;
const person = (position: number): string => `_-aZ${String(position).padStart(18, '0')}`.slice(0, 22);

interface Drawn {
  readonly position: number;
  readonly platform: number;
  readonly status: 0 | 1;
  readonly token: string | undefined;
  readonly cg: number;
  readonly badge: number | undefined;
  readonly sample: Parameters<typeof valuesOf>[0];
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  position: fc.nat(65_535),
  platform: fc.constantFrom(1, 1, 1, 3, 11),
  status: fc.constantFrom(1, 1, 1, 0),
  token: fc.option(fc.string({ minLength: 1, maxLength: 200 }), { nil: undefined }),
  cg: fc.nat(9_999),
  badge: fc.option(fc.oneof(fc.nat(1000), fc.constant(MAX_BADGE)), { nil: undefined }),
  sample: sampleDevice,
});
const devices = fc.uniqueArray(drawn, { selector: ({ position }) => position, maxLength: 40 });

const documentOf = ({ position, platform, status, token, cg, badge, sample }: Drawn): Buffer => {
  const { self, platform: _platform, token: _token, ...rest } = sample;
  const document = {
    ...{ seq: seqOf(CHUNK, position), status, platform, cg, person: person(position), token, ...rest },
    self: { ...self, badge, tokenAt: 1e12 },
    owners: [{ user: 'u', from: 1 }],
    createdAt: 1e12,
  };
  return Buffer.from(BSON.serialize(document, { ignoreUndefined: true }));
};

const read = (columns: Columns, of: readonly Drawn[], wanted: Wanted): void => {
  const reader = new DeviceReader(columns, wanted);
  for (const each of of) reader.read(documentOf(each));
};

const tag = (number: number, type: TagType): TagDefinition => ({ number, type, name: '', applicationSpecific: false });
const values = [
  tag(71, TagType.TAG_TYPE_STRING),
  undefined,
  tag(72, TagType.TAG_TYPE_LIST),
  tag(74, TagType.TAG_TYPE_BOOLEAN),
];

const textOf = ({ sample }: Drawn, wanted: TagDefinition | undefined): string =>
  wanted ? valuesOf(sample, wanted.number, wanted.type).join(', ') : '';

const head = (badge?: string): BatchHead => ({
  ...{ message: 'M', messageId: 1n, campaignId: 0n, account: 'a', credential: undefined, releasedAt: undefined },
  content: { ...Content.create(), ios: { ...IosContent.create(), badge } },
  atMostOnce: false,
});
const key = { message: 'M', bucket: 0, application: 'A', chunk: CHUNK };

const u16 = (bytes: Buffer): number[] => [...new Uint16Array(new Uint8Array(bytes).buffer)];
const u32 = (bytes: Buffer): number[] => [...new Uint32Array(new Uint8Array(bytes).buffer)];
const i32 = (bytes: Buffer): number[] => [...new Int32Array(new Uint8Array(bytes).buffer)];
const bit = (bytes: Buffer, i: number): boolean => ((bytes[i >>> 3]! >>> (i & 7)) & 1) === 1;
const texts = (bytes: Buffer, ends: Buffer): string[] =>
  u32(ends).map((end, i, all) => bytes.subarray(i === 0 ? 0 : all[i - 1], end).toString());

/** A batch as one object a device. */
function rowsOf(batch: SendBatch, tags: number) {
  const tokens = texts(batch.tokens, batch.tokenEnds);
  const shown = texts(batch.values, batch.valueEnds);
  const badges = i32(batch.badges);
  return u16(batch.positions).map((position, i) => ({
    position,
    token: tokens[i],
    platform: batch.platforms[i],
    language: batch.languageNames[batch.languages[i]!],
    values: shown.slice(i * tags, (i + 1) * tags),
    displayable: bit(batch.displayable, i),
    gone: bit(batch.gone, i),
    check: batch.checks.readUIntBE(i * 3, 3),
    badge: badges[i],
  }));
}

describe('columns', () => {
  const columns = new Columns();
  const writer = new BatchWriter();

  it('carry from BSON to the batch what devices are, and mark those that are gone', () => {
    fc.assert(
      fc.property(devices, devices, fc.integer({ min: -3, max: 3 }), (planned, now, by) => {
        read(columns, now, { values, badge: true });
        const sendable = ChunkSet.of(planned.map(({ position }) => position));
        const windows = sendable.size === 0 ? [] : [0];
        const change = head(by < 0 ? `${by}` : `+${by}`);
        const batches = [...writer.write(columns, { key, head: change, channel: 'apns', sendable, windows })];
        expect(batches).toHaveLength(windows.length);
        const rows = batches.flatMap(({ record }) => rowsOf(SendBatch.decode(record.value), values.length));
        const expected = [...sendable.positions()].map((position) => {
          const device = now.find((each) => each.position === position && each.status === 1);
          const here = device && channelOf(device.platform) === 'apns' ? device : undefined;
          return {
            position,
            token: here?.token ?? '',
            // The platform that it was planned for, also when it is gone or has moved (R-H11).
            platform: Platform.iOS,
            language: here?.sample.lang ?? '',
            values: values.map((wanted) => (here ? textOf(here, wanted) : '')),
            displayable: here !== undefined && here.sample.alerts !== false,
            gone: here === undefined,
            check: here ? checkOf(person(position)) : 0,
            badge: here ? Math.min(Math.max(0, (here.badge ?? 0) + by), MAX_BADGE) : 0,
          };
        });
        expect(rows).toEqual(expected);
      }),
    );
  });

  it('hold the devices that a predicate matches, with their control groups', () => {
    fc.assert(
      fc.property(devices, sampleExpression, (now, expression) => {
        const predicate = compilePredicate(expression, sampleViewpoint);
        read(columns, now, { predicate });
        const matching = now.filter(
          ({ status, platform, token, sample: { token: _token, ...sample } }) =>
            status === 1 &&
            predicate.matches(
              predicate.tags.map(({ tag, type }) =>
                valuesOf({ ...sample, platform, ...(token === undefined ? {} : { token }) }, tag, type),
              ),
            ),
        );
        const found = Array.from({ length: columns.count }, (_, i) => ({
          position: columns.positions[i],
          platform: columns.platforms[i],
          cg: columns.controlBuckets[i],
          token: columns.hasToken(i),
        }));
        expect(found).toEqual(
          matching.map(({ position, platform, cg, token }) => ({ position, platform, cg, token: token !== undefined })),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('go out in batches of up to four windows, each with its own part of the set', () => {
    const many = Array.from({ length: 3_300 }, (_, i): Drawn => ({
      ...{ position: i * 3, platform: 1, status: 1, token: `t${i}`, cg: 0, badge: undefined, sample: { tags: [] } },
    }));
    read(columns, many, {});
    const sendable = ChunkSet.of(many.map(({ position }) => position));
    const all = [
      ...writer.write(columns, { key, head: head(), channel: 'apns', sendable, windows: [0, 1, 3, 4, 5, 6] }),
    ];
    expect(all.map(({ windows }) => windows)).toEqual([
      [0, 1, 3, 4],
      [5, 6],
    ]);
    const batches = all.map(({ record }) => SendBatch.decode(record.value));
    for (const batch of batches) {
      const positions = u16(batch.positions);
      const tokens = texts(batch.tokens, batch.tokenEnds);
      for (const { w, first, count } of batch.windows) {
        const part = many.slice(w * WINDOW_SIZE, (w + 1) * WINDOW_SIZE);
        expect(positions.slice(first, first + count)).toEqual(part.map(({ position }) => position));
        expect(tokens.slice(first, first + count)).toEqual(part.map(({ token }) => token));
      }
      expect(batch.badges).toHaveLength(0);
    }
    expect(batches[1]!.windows.map(({ count }) => count)).toEqual([500, 300]);
  });

  it('take a device once, though a scan met it twice', () => {
    const device: Drawn = {
      ...{ position: 7, platform: 1, status: 1, token: 'first', cg: 0, badge: undefined, sample: { tags: [] } },
    };
    read(columns, [device, { ...device, token: 'second' }, { ...device, position: 8, token: 'third' }], { values });
    expect(columns.count).toBe(2);
    expect(columns.tokens.buffer.toString('utf8', 0, columns.tokens.length)).toBe('firstthird');
  });
});

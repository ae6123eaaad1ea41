import { describe, expect, it } from '@jest/globals';
import { hwidCheckOf, type TagDefinition } from '@tidings/audience';
import { type DeviceField, fieldBit, MAX_BADGE, TOKEN_BIT } from '@tidings/channels';
import { SLICE_SIZE } from '@tidings/delivery';
import { Content, type Expression, IosContent, Operator, SendBatch, TagType } from '@tidings/events';
import { Bitmap, Fault, Platform, seqOf, TOKEN_BYTES } from '@tidings/kernel';
import { Columns, DeviceReader, type ScanFields } from '@tidings/registry-store';
import { LARGEST_RECORD_BYTES } from '@tidings/streaming';
import { TWO_VARIANTS_PLATFORM as BIRD, useChannelOfTwoVariants } from '@tidings/testing';
import { compilePredicate } from '@tidings/segments';
import { sampleDevice, sampleExpression, sampleViewpoint, valuesOf } from '@tidings/segments/arbitraries';
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { type BatchHead, BatchWriter } from '../emit/batch-writer.ts';

const CHUNK = 3;
const hwidHash = (position: number): string => `_-aZ${String(position).padStart(18, '0')}`.slice(0, 22);

interface Drawn {
  readonly position: number;
  readonly platform: number;
  readonly status: 0 | 1;
  readonly token: string | undefined;
  readonly cg: number;
  readonly badge: number | undefined;
  readonly sample: Parameters<typeof valuesOf>[0];
  readonly fields?: Partial<Record<DeviceField, string>>;
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

const documentOf = ({ position, platform, status, token, cg, badge, sample, fields }: Drawn): Buffer => {
  const { self, platform: _platform, token: _token, ...rest } = sample;
  const document = {
    seq: seqOf(CHUNK, position),
    status,
    platform,
    cg,
    hwidHash: hwidHash(position),
    token,
    ...rest,
    ...fields,
    self: { ...self, badge, tokenAt: 1e12 },
    owners: [{ user: 'u', from: 1 }],
    createdAt: 1e12,
  };
  return Buffer.from(BSON.serialize(document, { ignoreUndefined: true }));
};

const read = (columns: Columns, of: readonly Drawn[], fields: ScanFields): void => {
  const reader = new DeviceReader(columns, fields);
  for (const each of of) reader.read(documentOf(each));
};

const tag = (number: number, type: TagType): TagDefinition => ({ number, type, name: '', applicationSpecific: false });
const values = [
  tag(71, TagType.TAG_TYPE_STRING),
  undefined,
  tag(72, TagType.TAG_TYPE_LIST),
  tag(74, TagType.TAG_TYPE_BOOLEAN),
  tag(70, TagType.TAG_TYPE_INTEGER),
];

const textOf = ({ sample }: Drawn, definition: TagDefinition | undefined): string =>
  definition ? valuesOf(sample, definition.number, definition.type).join(', ') : '';

const head = (badge?: string): BatchHead => ({
  message: 'M',
  messageId: 1n,
  campaignId: 0n,
  account: 'a',
  credential: undefined,
  releasedAt: undefined,
  content: { ...Content.create(), data: '{}', ios: { ...IosContent.create(), badge } },
  atMostOnce: false,
  marketing: false,
  sendRate: 0,
  applicationTitle: '',
  entry: undefined,
  outcomesAgain: false,
});
const key = { message: 'M', bucket: 0, application: 'A', chunk: CHUNK, platform: Platform.iOS, variant: 'alert' };

const u16 = (bytes: Buffer): number[] => [...new Uint16Array(new Uint8Array(bytes).buffer)];
const u32 = (bytes: Buffer): number[] => [...new Uint32Array(new Uint8Array(bytes).buffer)];
const i32 = (bytes: Buffer): number[] => [...new Int32Array(new Uint8Array(bytes).buffer)];
const bit = (bytes: Buffer, i: number): boolean => ((bytes[i >>> 3]! >>> (i & 7)) & 1) === 1;
const texts = (bytes: Buffer, ends: Buffer): string[] =>
  u32(ends).map((end, i, all) => bytes.subarray(i === 0 ? 0 : all[i - 1], end).toString());

function rowsOf(batch: SendBatch, tags: number) {
  const tokens = texts(batch.tokens, batch.tokenEnds);
  const shown = texts(batch.values, batch.valueEnds);
  const badges = i32(batch.badges);
  return u16(batch.positions).map((position, i) => ({
    position,
    token: tokens[i],
    platform: batch.platform,
    language: batch.languageNames[batch.languages[i]!],
    values: shown.slice(i * tags, (i + 1) * tags),
    displayable: bit(batch.displayable, i),
    gone: bit(batch.gone, i),
    check: batch.checks.readUIntBE(i * 3, 3),
    badge: badges[i],
    oversized: batch.oversized[i] ?? 0,
  }));
}

const phone = (position: number, more: Partial<Drawn> = {}): Drawn => ({
  position,
  platform: 1,
  status: 1,
  token: `t${position}`,
  cg: 0,
  badge: undefined,
  sample: { tags: [] },
  ...more,
});

describe('columns', () => {
  useChannelOfTwoVariants();

  const columns = new Columns();
  const writer = new BatchWriter();

  it('carry the properties of devices from BSON to the batch, and mark gone devices', () => {
    fc.assert(
      fc.property(devices, devices, fc.integer({ min: -3, max: 3 }), (planned, now, by) => {
        read(columns, now, { values, badge: true });
        const recipients = Bitmap.of(planned.map(({ position }) => position));
        const slices = recipients.size === 0 ? [] : [0];
        const change = head(by < 0 ? `${by}` : `+${by}`);
        const batches = [...writer.write(columns, { key, head: change, recipients, slices })];
        expect(batches).toHaveLength(slices.length);
        const rows = batches.flatMap(({ record }) => rowsOf(SendBatch.decode(record.value), values.length));
        const expected = [...recipients.positions()].map((position) => {
          const device = now.find((each) => each.position === position && each.status === 1);
          const onPlatform = device && device.platform === Platform.iOS ? device : undefined;
          return {
            position,
            token: onPlatform?.token ?? '',
            // The platform that it was planned for, even if it is gone or has moved (R-H11).
            platform: Platform.iOS,
            language: onPlatform?.sample.lang ?? '',
            values: values.map((definition) => (onPlatform ? textOf(onPlatform, definition) : '')),
            displayable: onPlatform !== undefined && onPlatform.sample.alerts !== false,
            gone: onPlatform === undefined,
            check: onPlatform ? hwidCheckOf(hwidHash(position)) : 0,
            badge: onPlatform ? Math.min(Math.max(0, (onPlatform.badge ?? 0) + by), MAX_BADGE) : 0,
            oversized: 0,
          };
        });
        expect(rows).toEqual(expected);
      }),
    );
  });

  it('compare a long integer that an earlier version stored as a double', () => {
    const badgeIs = (value: bigint): Expression => ({
      node: {
        $case: 'tag',
        value: {
          tag: 70,
          type: TagType.TAG_TYPE_INTEGER,
          operator: Operator.OPERATOR_EQ,
          application: '',
          operands: [{ value: { $case: 'integer', value } }],
        },
      },
    });
    const found = (value: bigint): number => {
      const predicate = compilePredicate(badgeIs(value), sampleViewpoint);
      read(columns, [phone(1, { sample: { tags: [{ k: 70, v: 2 ** 60 }] } })], { predicate });
      return columns.count;
    };
    expect([found(2n ** 60n), found(2n ** 60n + 1n)]).toEqual([1, 0]);
  });

  it('contain the devices that a predicate matches, with their control groups', () => {
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
          token: (columns.fields[i]! & TOKEN_BIT) !== 0,
        }));
        expect(found).toEqual(
          matching.map(({ position, platform, cg, token }) => ({ position, platform, cg, token: token !== undefined })),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('are emitted in batches of up to four slices, each with its own part of the set', () => {
    const many = Array.from({ length: 3_300 }, (_, i) => phone(i * 3));
    read(columns, many, {});
    const recipients = Bitmap.of(many.map(({ position }) => position));
    const all = [...writer.write(columns, { key, head: head(), recipients, slices: [0, 1, 3, 4, 5, 6] })];
    expect(all.map(({ slices }) => slices)).toEqual([
      [0, 1, 3, 4],
      [5, 6],
    ]);
    const batches = all.map(({ record }) => SendBatch.decode(record.value));
    for (const batch of batches) {
      const positions = u16(batch.positions);
      const tokens = texts(batch.tokens, batch.tokenEnds);
      for (const { number, first, count } of batch.slices) {
        const part = many.slice(number * SLICE_SIZE, (number + 1) * SLICE_SIZE);
        expect(positions.slice(first, first + count)).toEqual(part.map(({ position }) => position));
        expect(tokens.slice(first, first + count)).toEqual(part.map(({ token }) => token));
      }
      expect(batch.badges).toHaveLength(0);
    }
    expect(batches[1]!.slices.map(({ count }) => count)).toEqual([500, 300]);
  });

  it('take a device once, even if a scan found it twice', () => {
    const device = phone(7, { token: 'first' });
    read(columns, [device, { ...device, token: 'second' }, { ...device, position: 8, token: 'third' }], { values });
    expect(columns.count).toBe(2);
    expect(columns.tokens.bytes.buffer.toString('utf8', 0, columns.tokens.length)).toBe('firstthird');
  });

  it('carry the fields that a variant names, and the address that it uses', () => {
    const long = 'k'.repeat(600);
    const birds = [
      phone(1, { platform: BIRD, fields: { publicKey: 'key', authToken: 'secret', fcmToken: 'fcm-1' } }),
      phone(2, { platform: BIRD, token: undefined, fields: { fcmToken: 'fcm-2', publicKey: long } }),
      phone(3, { platform: BIRD }),
    ];
    read(columns, birds, { fields: ['publicKey', 'authToken', 'fcmToken'] });
    const [publicKey, authToken, fcmToken] = [fieldBit('publicKey'), fieldBit('authToken'), fieldBit('fcmToken')];
    expect([...columns.fields.subarray(0, 3)]).toEqual([
      TOKEN_BIT | publicKey | authToken | fcmToken,
      // A key that is too long is none.
      fcmToken,
      TOKEN_BIT,
    ]);
    const batchOf = (variant: string): SendBatch => {
      const slices = { key: { ...key, platform: BIRD, variant }, head: head(), recipients: Bitmap.of([1, 2, 3, 4]) };
      const [batch] = [...writer.write(columns, { ...slices, slices: [0] })];
      return SendBatch.decode(batch!.record.value);
    };
    const sealed = batchOf('sealed');
    expect(texts(sealed.tokens, sealed.tokenEnds)).toEqual(['t1', '', 't3', '']);
    expect(sealed.columnNames).toEqual(['authToken', 'publicKey']);
    expect(texts(sealed.columns, sealed.columnEnds)).toEqual(['secret', 'key', '', '', '', '', '', '']);
    const fcm = batchOf('fcm');
    expect(texts(fcm.tokens, fcm.tokenEnds)).toEqual(['fcm-1', 'fcm-2', '', '']);
    expect(fcm.columnNames).toEqual([]);
    expect(() => {
      read(columns, birds, {});
      batchOf('sealed');
    }).toThrow(Fault);
  });

  const batchesTo = (all: readonly Drawn[], fields: ScanFields, of = head()): ReturnType<BatchWriter['write']> => {
    read(columns, all, fields);
    const recipients = Bitmap.of(all.map(({ position }) => position));
    const slices = Array.from({ length: Math.ceil(all.length / SLICE_SIZE) }, (_, number) => number);
    return writer.write(columns, { key, head: of, recipients, slices });
  };

  describe('columns with oversized data', () => {
    const long = (bytes: number): string => 'é'.repeat(bytes / 2);
    const named = (value: string, other = ''): Partial<Drawn> => ({
      sample: {
        tags: [
          { k: 71, v: value },
          { k: 75, v: other },
        ],
      },
    });
    const two = [tag(71, TagType.TAG_TYPE_STRING), tag(75, TagType.TAG_TYPE_STRING)];
    const rowsTo = (all: readonly Drawn[]) =>
      [...batchesTo(all, { values: two })].flatMap(({ record }) => rowsOf(SendBatch.decode(record.value), two.length));

    it('leave the token out, and mark only its device', () => {
      const rows = rowsTo([
        phone(0, named('a')),
        phone(1, { token: long(TOKEN_BYTES) }),
        phone(2, { token: `${long(TOKEN_BYTES)}x`, ...named('b') }),
        phone(3, { token: long(262_144) }),
        phone(4, named('c', 'd')),
      ]);
      expect(rows).toMatchObject([
        { position: 0, token: 't0', values: ['a', ''], gone: false, oversized: 0 },
        { position: 1, token: long(TOKEN_BYTES), gone: false, oversized: 0 },
        { position: 2, token: '', gone: false, oversized: 1 },
        { position: 3, token: '', gone: false, oversized: 1 },
        { position: 4, token: 't4', values: ['c', 'd'], gone: false, oversized: 0 },
      ]);
    });

    it('leave the values out if a device has more than 8 KiB of them, and mark only that device', () => {
      const rows = rowsTo([phone(0, named('a')), phone(1, named(long(4096), long(4096))), phone(2, named('b', 'c'))]);
      expect(rows).toMatchObject([
        { token: 't0', values: ['a', ''], oversized: 0 },
        { token: 't1', values: ['', ''], oversized: 2 },
        { token: 't2', values: ['b', 'c'], oversized: 0 },
      ]);
    });

    it('truncate a value that no push could hold, and keep the following values', () => {
      const [row] = rowsTo([phone(0, named(`x${long(20_000)}`, 'kept'))]);
      expect(row).toMatchObject({ values: [`x${long(6142)}`, 'kept'], oversized: 0 });
    });

    it('mark nothing if everything fits', () => {
      const [batch] = [...batchesTo([phone(0), phone(1)], {})];
      expect(SendBatch.decode(batch!.record.value).oversized).toHaveLength(0);
    });

    it('close a batch before a slice that would make it larger than half a mebibyte', () => {
      const large = (w: number) => w === 2 || w === 3;
      const all = Array.from({ length: 6 * SLICE_SIZE }, (_, i) =>
        phone(i, large(Math.floor(i / SLICE_SIZE)) ? { token: long(1046) } : {}),
      );
      expect([...batchesTo(all, {})].map(({ slices }) => slices)).toEqual([[0, 1], [2], [3], [4, 5]]);
    });

    it('never make a record that exceeds a topic’s limit', () => {
      const tags = Array.from({ length: 256 }, (_, i) => tag(100 + i, TagType.TAG_TYPE_STRING));
      // The largest slices, with the largest content (R-LM4, R-LM6).
      const sample = { tags: tags.map(({ number }) => ({ k: number, v: 'x'.repeat(28) })) };
      const all = Array.from({ length: 2 * SLICE_SIZE }, (_, i) =>
        phone(i, { token: 'y'.repeat(TOKEN_BYTES), sample: { ...sample, lang: i % 2 === 0 ? 'en' : 'de' } }),
      );
      const content = { ...Content.create(), data: 'z'.repeat(2 * 1024 * 1024), tags: tags.map(({ name }) => name) };
      const batches = [...batchesTo(all, { values: tags }, { ...head('+1'), content })];
      expect(batches.map(({ slices }) => slices)).toEqual([[0], [1]]);
      for (const { record } of batches) {
        const rows = rowsOf(SendBatch.decode(record.value), tags.length);
        expect(rows.every(({ token, oversized }) => token?.length === TOKEN_BYTES && oversized === 0)).toBe(true);
        expect(record.value.length).toBeGreaterThan(7 * 1024 * 1024);
        // Room for the common fields of every batch of the message.
        expect(record.value.length).toBeLessThan(LARGEST_RECORD_BYTES - 64 * 1024);
      }
    });
  });

  it('have the token of the requested live activity, as long as a push token', () => {
    const activities = (...of: { k: string; id: string; token: string }[]) => ({ activities: of });
    const entry = (k: string, text: string) => ({ k, id: `the id of ${k}`, token: text });
    const documents = [
      activities(entry('other', 'o0'), entry('wanted', 'w0')),
      activities(entry('other', 'o1')),
      activities(entry('wanted', 'w2'.padEnd(TOKEN_BYTES + 1, 'x'))),
      {},
      activities(entry('wanted', 'w4'), entry('wante', 'o4')),
    ];
    const reader = new DeviceReader(columns, { fields: ['startToken', 'activityToken'], activity: 'wanted' });
    documents.forEach((more, i) => {
      const document = {
        seq: seqOf(CHUNK, i),
        status: 1,
        platform: 1,
        hwidHash: hwidHash(i),
        startToken: 's',
        ...more,
      };
      reader.read(Buffer.from(BSON.serialize(document)));
    });
    const bits = fieldBit('activityToken');
    expect([...columns.fields.subarray(0, 5)].map((fields) => fields & bits)).toEqual([bits, 0, 0, 0, bits]);
    expect(columns.fieldTexts.bytes.buffer.toString('utf8', 0, columns.fieldTexts.length)).toBe('sw0ssssw4');
  });

  it('stay small even if every stored token has the maximum length of earlier versions', () => {
    const all = Array.from({ length: SLICE_SIZE }, (_, i) => phone(i, { token: `${i}`.padEnd(65_536, 'x') }));
    const [batch, ...others] = [...batchesTo(all, {})];
    expect(others).toEqual([]);
    expect(batch!.record.value.length).toBeLessThan(64 * 1024);
    expect(columns.tokens.length).toBe(0);
    expect(rowsOf(SendBatch.decode(batch!.record.value), 0).every(({ oversized }) => oversized === 1)).toBe(true);
  });

  it('register only the content’s languages, so that hundreds of others use none of the entries', () => {
    const code = (i: number): string => String.fromCharCode(97 + (i % 26), 97 + ((i / 26) % 26), 97 + ((i / 676) % 26));
    const all = [
      ...Array.from({ length: 400 }, (_, i) => phone(i, { sample: { tags: [], lang: code(i) } })),
      phone(400, { sample: { tags: [], lang: 'en' } }),
      phone(401, { sample: { tags: [], lang: 'pt' } }),
    ];
    const rows = [...batchesTo(all, { languages: new Set(['en', 'pt', 'aaa']) })].flatMap(({ record }) =>
      rowsOf(SendBatch.decode(record.value), 0),
    );
    const languages = rows.map(({ language }) => language);
    expect(languages.slice(400)).toEqual(['en', 'pt']);
    expect(languages.slice(0, 400)).toEqual(all.slice(0, 400).map((_, i) => (i === 0 ? 'aaa' : '')));
  });
});

import { describe, expect, it } from '@jest/globals';
import { blacklisted, localResults, unwantedResults } from '@tidings/channels';
import { Content, SendBatch } from '@tidings/events';
import fc from 'fast-check';
import {
  bitAt,
  columnOf,
  columnsOf,
  hasToken,
  OVERSIZED,
  pickDevices,
  SUPPRESSED,
  tokenOf,
  resultBeforeSending,
  withSuppressed,
} from './batch-columns.ts';

interface Device {
  position: number;
  token: string;
  values: string[];
  displayable: boolean;
  gone: boolean;
  check: number[];
  badge: number;
  oversized?: number;
  columns: string[];
}

const u32 = (numbers: readonly number[]): Buffer => Buffer.from(Uint32Array.from(numbers).buffer);
const bits = (flags: readonly boolean[]): Buffer => {
  const bytes = Buffer.alloc(Math.ceil(flags.length / 8));
  flags.forEach((flag, i) => {
    if (flag) bytes[i >>> 3]! |= 1 << (i & 7);
  });
  return bytes;
};
const ends = (texts: readonly string[]): number[] => {
  let end = 0;
  return texts.map((text) => (end += Buffer.byteLength(text)));
};

function batchOf(devices: readonly Device[], tags: number): SendBatch {
  const tokens = devices.map(({ token }) => token);
  const values = devices.flatMap((device) => device.values);
  const columns = devices.flatMap((device) => device.columns);
  return {
    ...SendBatch.decode(new Uint8Array()),
    chunk: 3,
    slices: [{ number: 7, first: 0, count: devices.length }],
    positions: Buffer.from(Uint16Array.from(devices, ({ position }) => position).buffer),
    tokens: Buffer.from(tokens.join('')),
    tokenEnds: u32(ends(tokens)),
    platform: 1,
    languages: Buffer.alloc(devices.length),
    languageNames: [''],
    values: Buffer.from(values.join('')),
    valueEnds: u32(ends(values)),
    columnNames: devices[0]?.columns.map((_, i) => `c${i}`) ?? [],
    columns: Buffer.from(columns.join('')),
    columnEnds: u32(ends(columns)),
    displayable: bits(devices.map(({ displayable }) => displayable)),
    gone: bits(devices.map(({ gone }) => gone)),
    checks: Buffer.from(devices.flatMap(({ check }) => check)),
    badges: Buffer.from(Int32Array.from(devices, ({ badge }) => badge).buffer),
    oversized: devices.some(({ oversized = 0 }) => oversized > 0)
      ? Buffer.from(devices.map(({ oversized = 0 }) => oversized))
      : Buffer.alloc(0),
    content: { ...Content.decode(new Uint8Array()), tags: Array.from({ length: tags }, (_, i) => `t${i}`) },
  };
}

function devicesOf(batch: SendBatch): Device[] {
  const columns = columnsOf(batch);
  return Array.from({ length: columns.devices }, (_, i) => ({
    position: columns.positions[i]!,
    token: tokenOf(columns, i),
    values: Array.from({ length: columns.tags }, (_, t) => {
      const index = i * columns.tags + t;
      return Buffer.from(columns.values).toString(
        'utf8',
        index === 0 ? 0 : columns.valueEnds[index - 1],
        columns.valueEnds[index],
      );
    }),
    displayable: bitAt(columns.displayable, i),
    gone: bitAt(columns.gone, i),
    check: [...columns.checks.subarray(i * 3, i * 3 + 3)],
    badge: columns.badges[i]!,
    oversized: columns.oversized[i] ?? 0,
    columns: columns.columnNames.map((_, column) => columnOf(columns, i, column)),
  }));
}

const byte = fc.nat(255);
const text = fc.string({ unit: 'grapheme', maxLength: 5 });
const devicesWith = (tags: number, columns: number) =>
  fc.array(
    fc.record({
      position: fc.nat(65_535),
      token: text,
      values: fc.array(text, { minLength: tags, maxLength: tags }),
      displayable: fc.boolean(),
      gone: fc.boolean(),
      check: fc.tuple(byte, byte, byte).map((bytes) => [...bytes]),
      badge: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      oversized: fc.constantFrom(0, 0, 0, OVERSIZED.token, OVERSIZED.values),
      columns: fc.array(text, { minLength: columns, maxLength: columns }),
    }),
    { maxLength: 20 },
  );
const tagged = fc
  .tuple(fc.nat(3), fc.nat(2))
  .chain(([tags, columns]) => fc.tuple(fc.constant(tags), devicesWith(tags, columns)));

describe('columns', () => {
  it('are read as written, also after encoding', () => {
    fc.assert(
      fc.property(tagged, ([tags, devices]) => {
        const batch = batchOf(devices, tags);
        expect(devicesOf(batch)).toEqual(devices);
        expect(devicesOf(SendBatch.decode(SendBatch.encode(batch).finish()))).toEqual(devices);
      }),
    );
  });

  it('are read from unaligned bytes', () => {
    const batch = batchOf(
      [
        {
          position: 9,
          token: 'ab',
          values: [],
          displayable: true,
          gone: false,
          check: [1, 2, 3],
          badge: 5,
          columns: [],
        },
      ],
      0,
    );
    const odd = Buffer.concat([Buffer.alloc(1), batch.positions]).subarray(1);
    expect(columnsOf({ ...batch, positions: odd, tokenEnds: Buffer.from(batch.tokenEnds) }).positions[0]).toBe(9);
  });

  it('contain exactly the selected devices', () => {
    fc.assert(
      fc.property(tagged, fc.func(fc.boolean()), ([tags, devices], keep) => {
        const batch = batchOf(devices, tags);
        const indexes = devices.flatMap((_, i) => (keep(i) ? [i] : []));
        const picked = pickDevices(batch, columnsOf(batch), batch.slices[0]!, indexes);
        expect(devicesOf(picked)).toEqual(indexes.map((i) => devices[i]));
        expect(picked.slices).toEqual([{ number: 7, first: 0, count: indexes.length }]);
      }),
    );
  });

  it('are refused if they are inconsistent', () => {
    const device = {
      position: 1,
      token: 'ab',
      values: ['x'],
      displayable: true,
      gone: false,
      check: [1, 2, 3],
      badge: 5,
      columns: [],
    };
    const batch = batchOf([device, device], 1);
    const broken: Partial<SendBatch>[] = [
      { positions: batch.positions.subarray(0, 3) },
      { positions: batch.positions.subarray(0, 2) },
      { tokens: batch.tokens.subarray(0, 3) },
      { tokenEnds: u32([4, 2]) },
      { valueEnds: u32([1, 99]) },
      { columnNames: ['publicKey'] },
      { columnNames: ['publicKey'], columnEnds: u32([0, 1]) },
      { checks: batch.checks.subarray(0, 5) },
      { displayable: Buffer.alloc(0) },
      { badges: batch.badges.subarray(0, 4) },
      { oversized: Buffer.alloc(1) },
      { slices: [{ number: 0, first: 1, count: 2 }] },
    ];
    for (const change of broken) expect(() => columnsOf({ ...batch, ...change })).toThrow(RangeError);
  });

  it('identify a device without a token', () => {
    const device = {
      position: 1,
      token: '',
      values: [],
      displayable: true,
      gone: false,
      check: [1, 2, 3],
      badge: 5,
      columns: [],
    };
    const columns = columnsOf(batchOf([device, { ...device, token: 'x' }], 0));
    expect([hasToken(columns, 0), hasToken(columns, 1)]).toEqual([false, true]);
  });

  it('give the reason why a device cannot be sent to', () => {
    const device = {
      position: 1,
      token: 'x',
      values: [],
      displayable: true,
      gone: false,
      check: [1, 2, 3],
      badge: 5,
      columns: [],
    };
    const { token, values } = OVERSIZED;
    const cases = [
      [device, undefined],
      [{ ...device, gone: true, token: '', oversized: token }, localResults.noDevice],
      [{ ...device, token: '' }, localResults.noToken],
      [{ ...device, token: '', oversized: token }, localResults.tokenTooLong],
      [{ ...device, oversized: values }, localResults.valuesTooLong],
      [{ ...device, oversized: SUPPRESSED.BOUNCED }, blacklisted],
      [{ ...device, oversized: SUPPRESSED.COMPLAINT }, unwantedResults.complained],
      [{ ...device, oversized: SUPPRESSED.UNSUBSCRIBED }, unwantedResults.unsubscribed],
      [{ ...device, oversized: SUPPRESSED.FILTERED_BY_CATEGORY }, unwantedResults.leftCategory],
      [{ ...device, oversized: SUPPRESSED.GONE }, localResults.noDevice],
      // From a newer fan-out.
      [{ ...device, oversized: 200 }, localResults.valuesTooLong],
    ] as const;
    const columns = columnsOf(
      batchOf(
        cases.map(([of]) => of),
        0,
      ),
    );
    expect(cases.map((_, i) => resultBeforeSending(columns, i))).toEqual(cases.map(([, result]) => result));
    const without = columnsOf(batchOf([device, { ...device, token: '' }], 0));
    expect([resultBeforeSending(without, 0), resultBeforeSending(without, 1)]).toEqual([
      undefined,
      localResults.noToken,
    ]);
  });

  it('are marked for contacts that have unsubscribed', () => {
    const common = { values: [], displayable: true, gone: false, check: [1, 2, 3], badge: 5, columns: [] };
    const devices = [1, 4, 9].map((position) => ({ ...common, position, token: 'x' }));
    const resultsOf = (of: typeof devices, suppressed: Parameters<typeof withSuppressed>[1]) => {
      const columns = withSuppressed(columnsOf(batchOf(of, 0)), suppressed);
      return of.map((_, i) => resultBeforeSending(columns, i));
    };
    const suppressed = new Map([
      [4, 'BOUNCED'],
      [9, 'GONE'],
      [7, 'COMPLAINT'],
    ] as const);
    expect(resultsOf(devices, suppressed)).toEqual([undefined, blacklisted, localResults.noDevice]);
    expect(resultsOf(devices, new Map())).toEqual([undefined, undefined, undefined]);
    const long = devices.map((device) => ({ ...device, oversized: OVERSIZED.values }));
    expect(resultsOf(long, suppressed)).toEqual([localResults.valuesTooLong, blacklisted, localResults.noDevice]);
    expect(resultsOf(long, new Map()).at(-1)).toEqual(localResults.valuesTooLong);
  });
});

import { blacklisted, localResults, type SendResult, unwantedResults } from '@tidings/channels';
import type { SendBatch, Slice } from '@tidings/events';
import type { Suppression } from './protocol/plan-chunk.ts';

export const OVERSIZED = { token: 1, values: 2 } as const;
export type SuppressedSince = Suppression | 'GONE';

export const SUPPRESSED = {
  BOUNCED: 3,
  COMPLAINT: 4,
  UNSUBSCRIBED: 5,
  FILTERED_BY_CATEGORY: 6,
  GONE: 7,
} as const satisfies Record<SuppressedSince, number>;

const resultsBeforeSending: ReadonlyMap<number, SendResult> = new Map<number, SendResult>([
  [OVERSIZED.token, localResults.tokenTooLong],
  [OVERSIZED.values, localResults.valuesTooLong],
  [SUPPRESSED.BOUNCED, blacklisted],
  [SUPPRESSED.COMPLAINT, unwantedResults.complained],
  [SUPPRESSED.UNSUBSCRIBED, unwantedResults.unsubscribed],
  [SUPPRESSED.FILTERED_BY_CATEGORY, unwantedResults.leftCategory],
  [SUPPRESSED.GONE, localResults.noDevice],
]);

export interface BatchColumns {
  readonly chunk: number;
  readonly devices: number;
  readonly platform: number;
  readonly positions: Uint16Array;
  readonly tokens: Uint8Array;
  readonly tokenEnds: Uint32Array;
  readonly languages: Uint8Array;
  readonly values: Uint8Array;
  readonly valueEnds: Uint32Array;
  readonly tags: number;
  readonly displayable: Uint8Array;
  readonly gone: Uint8Array;
  readonly checks: Uint8Array;
  readonly badges: Int32Array;
  readonly columnNames: readonly string[];
  readonly columns: Uint8Array;
  readonly columnEnds: Uint32Array;
  readonly oversized: Uint8Array;
}

const aligned = (bytes: Uint8Array, size: number): ArrayBufferLike | undefined =>
  bytes.byteOffset % size === 0 ? bytes.buffer : undefined;

const copyOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function checked(bytes: Uint8Array, size: number, name: string): Uint8Array {
  if (!littleEndian) throw new Error('columns need a little-endian machine');
  if (bytes.length % size !== 0) throw new RangeError(`batch: ${name} has ${bytes.length} bytes`);
  return bytes;
}

function uint16s(bytes: Uint8Array, name: string): Uint16Array {
  checked(bytes, 2, name);
  const buffer = aligned(bytes, 2);
  return buffer ? new Uint16Array(buffer, bytes.byteOffset, bytes.length / 2) : new Uint16Array(copyOf(bytes));
}

function uint32s(bytes: Uint8Array, name: string): Uint32Array {
  checked(bytes, 4, name);
  const buffer = aligned(bytes, 4);
  return buffer ? new Uint32Array(buffer, bytes.byteOffset, bytes.length / 4) : new Uint32Array(copyOf(bytes));
}

function int32s(bytes: Uint8Array, name: string): Int32Array {
  const words = uint32s(bytes, name);
  return new Int32Array(words.buffer, words.byteOffset, words.length);
}

const isAscending = (ends: Uint32Array, total: number): boolean => {
  let last = 0;
  for (const end of ends) {
    if (end < last) return false;
    last = end;
  }
  return last <= total;
};

function deviceColumnsFit(columns: BatchColumns): boolean {
  const { devices, tags, tokens, tokenEnds, values, valueEnds, columnEnds, badges, oversized } = columns;
  const lengths = [
    [tokenEnds.length, devices],
    [columns.languages.length, devices],
    [valueEnds.length, devices * tags],
    [columnEnds.length, devices * columns.columnNames.length],
    [columns.checks.length, devices * 3],
    [badges.length, badges.length === 0 ? 0 : devices],
    [oversized.length, oversized.length === 0 ? 0 : devices],
  ] as const;
  return (
    lengths.every(([length, expected]) => length === expected) &&
    columns.displayable.length >= Math.ceil(devices / 8) &&
    isAscending(tokenEnds, tokens.length) &&
    isAscending(valueEnds, values.length) &&
    isAscending(columnEnds, columns.columns.length)
  );
}

/** @throws RangeError if the columns are inconsistent */
export function columnsOf(batch: SendBatch): BatchColumns {
  const positions = uint16s(batch.positions, 'positions');
  const devices = positions.length;
  const tags = batch.content?.tags.length ?? 0;
  const columns: BatchColumns = {
    chunk: batch.chunk,
    devices,
    platform: batch.platform,
    positions,
    tokens: batch.tokens,
    tokenEnds: uint32s(batch.tokenEnds, 'token_ends'),
    languages: batch.languages,
    values: batch.values,
    valueEnds: uint32s(batch.valueEnds, 'value_ends'),
    tags,
    displayable: batch.displayable,
    gone: batch.gone,
    checks: batch.checks,
    badges: int32s(batch.badges, 'badges'),
    columnNames: batch.columnNames,
    columns: batch.columns,
    columnEnds: uint32s(batch.columnEnds, 'column_ends'),
    oversized: batch.oversized,
  };
  const fit = deviceColumnsFit(columns) && batch.slices.every(({ first, count }) => first + count <= devices);
  if (!fit) throw new RangeError(`batch ${batch.message}/${batch.chunk}: columns do not fit each other`);
  return columns;
}

export const bitAt = (bits: Uint8Array, i: number): boolean => (((bits[i >>> 3] ?? 0) >>> (i & 7)) & 1) === 1;

const startOf = (ends: Uint32Array, i: number): number => (i === 0 ? 0 : ends[i - 1]!);

function textAt(texts: Uint8Array, ends: Uint32Array, i: number): string {
  const from = startOf(ends, i);
  const bytes = Buffer.isBuffer(texts) ? texts : Buffer.from(texts.buffer, texts.byteOffset, texts.length);
  return bytes.toString('utf8', from, ends[i]);
}

export const tokenOf = ({ tokens, tokenEnds }: BatchColumns, i: number): string => textAt(tokens, tokenEnds, i);

export const columnOf = ({ columns, columnEnds, columnNames }: BatchColumns, i: number, column: number): string =>
  textAt(columns, columnEnds, i * columnNames.length + column);

export const valueOf = ({ values, valueEnds, tags }: BatchColumns, i: number, tag: number): string =>
  textAt(values, valueEnds, i * tags + tag);

export const hasToken = ({ tokenEnds }: BatchColumns, i: number): boolean => tokenEnds[i]! > startOf(tokenEnds, i);

export function resultBeforeSending(columns: BatchColumns, i: number): SendResult | undefined {
  if (bitAt(columns.gone, i)) return localResults.noDevice;
  const oversized = columns.oversized[i] ?? 0;
  if (oversized !== 0) return resultsBeforeSending.get(oversized) ?? localResults.valuesTooLong;
  return hasToken(columns, i) ? undefined : localResults.noToken;
}

export function withSuppressed(columns: BatchColumns, suppressed: ReadonlyMap<number, SuppressedSince>): BatchColumns {
  if (suppressed.size === 0) return columns;
  const oversized = new Uint8Array(columns.devices);
  oversized.set(columns.oversized);
  columns.positions.forEach((position, i) => {
    const reason = suppressed.get(position);
    if (reason) oversized[i] = SUPPRESSED[reason];
  });
  return { ...columns, oversized };
}

function bitsOf(bits: Uint8Array, devices: readonly number[]): Buffer {
  const picked = Buffer.alloc(Math.ceil(devices.length / 8));
  devices.forEach((device, i) => {
    if (bitAt(bits, device)) picked[i >>> 3]! |= 1 << (i & 7);
  });
  return picked;
}

function textsOf(texts: Uint8Array, ends: Uint32Array, indexes: readonly number[]): { texts: Buffer; ends: Buffer } {
  const parts = indexes.map((i) => texts.subarray(startOf(ends, i), ends[i]));
  let end = 0;
  const pickedEnds = Uint32Array.from(parts, (part) => (end += part.length));
  return { texts: Buffer.concat(parts), ends: Buffer.from(pickedEnds.buffer) };
}

const words = (array: Uint16Array | Int32Array): Buffer =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength);

export function pickDevices(
  batch: SendBatch,
  columns: BatchColumns,
  slice: Slice,
  devices: readonly number[],
): SendBatch {
  const { tags, positions, languages, checks, badges, oversized } = columns;
  const indexesOf = (width: number): number[] =>
    devices.flatMap((device) => Array.from({ length: width }, (_, i) => device * width + i));
  const tokens = textsOf(columns.tokens, columns.tokenEnds, devices);
  const values = textsOf(columns.values, columns.valueEnds, indexesOf(tags));
  const fields = textsOf(columns.columns, columns.columnEnds, indexesOf(columns.columnNames.length));
  return {
    ...batch,
    slices: [{ number: slice.number, first: 0, count: devices.length }],
    positions: words(Uint16Array.from(devices, (device) => positions[device]!)),
    tokens: tokens.texts,
    tokenEnds: tokens.ends,
    languages: Buffer.from(devices.map((device) => languages[device]!)),
    values: values.texts,
    valueEnds: values.ends,
    columns: fields.texts,
    columnEnds: fields.ends,
    displayable: bitsOf(columns.displayable, devices),
    gone: bitsOf(columns.gone, devices),
    checks: Buffer.from(devices.flatMap((device) => [...checks.subarray(device * 3, device * 3 + 3)])),
    badges: badges.length === 0 ? Buffer.alloc(0) : words(Int32Array.from(devices, (device) => badges[device]!)),
    oversized: oversized.length === 0 ? Buffer.alloc(0) : Buffer.from(devices.map((device) => oversized[device]!)),
  };
}

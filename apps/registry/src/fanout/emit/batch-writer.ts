import { definitionOf, relativeBadge } from '@tidings/channels';
import {
  chunkRecordKey,
  OVERSIZED,
  positionsOfSlice,
  type SendableKey,
  SLICE_SIZE,
  SLICES_PER_BATCH,
} from '@tidings/delivery';
import { SendBatch, type Slice } from '@tidings/events';
import type { Bitmap } from '@tidings/kernel';
import type { OutRecord } from '@tidings/streaming';
import { Bytes, type Columns, LONG_TOKEN, LONG_VALUES, MAX_BADGE, NOT_DISPLAYABLE } from '../scan/columns.ts';

/** The common parts of all batches of a sendable set. */
export type BatchHead = Pick<
  SendBatch,
  'message' | 'messageId' | 'campaignId' | 'account' | 'content' | 'credential' | 'releasedAt' | 'atMostOnce'
>;

const MAX_DEVICES = SLICES_PER_BATCH * SLICE_SIZE;
/** A batch takes a further slice up to this number of bytes of tokens and values. A single slice may have more; every slice fits into a record. */
const FULL_BYTES = 512 * 1024;

function oversizedBy(flags: number): number {
  if ((flags & LONG_TOKEN) !== 0) return OVERSIZED.token;
  return (flags & LONG_VALUES) !== 0 ? OVERSIZED.values : 0;
}

/** Slices of a sendable set to write. */
export interface SlicesToWrite {
  readonly key: SendableKey;
  readonly head: BatchHead;
  readonly sendable: Bitmap;
  /** Their numbers. */
  readonly slices: readonly number[];
}

/** A batch as a record, with its slices. */
export interface EmittedBatch {
  readonly record: OutRecord;
  readonly slices: readonly number[];
}

/**
 * Writes batches from scanned columns (sending 3) into reused buffers. Positions of a slice that were not scanned, or whose device has moved to
 * another platform, are marked as gone: the members of a slice never change.
 */
export class BatchWriter {
  // Node runs only on little-endian machines, so these arrays are the bytes of the wire format.
  readonly #positions = new Uint16Array(MAX_DEVICES);
  readonly #tokenEnds = new Uint32Array(MAX_DEVICES);
  readonly #languages = Buffer.alloc(MAX_DEVICES);
  readonly #displayable = Buffer.alloc(MAX_DEVICES / 8);
  readonly #gone = Buffer.alloc(MAX_DEVICES / 8);
  readonly #checks = Buffer.alloc(MAX_DEVICES * 3);
  readonly #badges = new Int32Array(MAX_DEVICES);
  readonly #oversized = Buffer.alloc(MAX_DEVICES);
  #anyOversized = false;
  readonly #tokens = new Bytes();
  readonly #values = new Bytes();
  #valueEnds = new Uint32Array(0);
  #count = 0;

  /** The batches of these slices, in their order. */
  *write(columns: Columns, { key, head, sendable, slices }: SlicesToWrite): Generator<EmittedBatch> {
    const positions = sendable.positions();
    const relative = relativeBadge(definitionOf(key.platform)?.badgeOf(head.content));
    const close = (of: readonly Slice[]): EmittedBatch => {
      const batch = { ...this.#columns(columns, relative !== undefined), ...head, ...key, slices: [...of] };
      const record = { key: chunkRecordKey(key), value: SendBatch.encode(batch).finish() };
      this.#reset(columns);
      return { record, slices: of.map(({ number }) => number) };
    };
    let open: Slice[] = [];
    this.#reset(columns);
    for (const number of slices) {
      const part = positionsOfSlice(positions, number);
      const isFull =
        open.length === SLICES_PER_BATCH ||
        this.#tokens.length + this.#values.length + columns.bytesOf(part) > FULL_BYTES;
      if (open.length > 0 && isFull) {
        yield close(open);
        open = [];
      }
      open.push({ number, first: this.#count, count: part.length });
      for (const position of part) this.#add(columns, key.platform, position, relative);
    }
    if (open.length > 0) yield close(open);
  }

  #reset({ tags }: Columns): void {
    this.#count = 0;
    this.#tokens.length = 0;
    this.#values.length = 0;
    this.#anyOversized = false;
    this.#displayable.fill(0);
    this.#gone.fill(0);
    if (this.#valueEnds.length < MAX_DEVICES * tags) this.#valueEnds = new Uint32Array(MAX_DEVICES * tags);
  }

  #add(columns: Columns, platform: number, position: number, relative: number | undefined): void {
    const i = this.#count++;
    const row = columns.rowOf(position);
    const isGone = row < 0 || columns.platforms[row] !== platform;
    this.#positions[i] = position;
    if (isGone) {
      this.#gone[i >>> 3]! |= 1 << (i & 7);
      this.#languages[i] = 0;
      this.#checks.fill(0, i * 3, i * 3 + 3);
      this.#badges[i] = 0;
      this.#oversized[i] = 0;
    } else {
      if ((columns.flags[row]! & NOT_DISPLAYABLE) === 0) this.#displayable[i >>> 3]! |= 1 << (i & 7);
      this.#languages[i] = columns.languages[row]!;
      this.#checks.writeUIntBE(columns.checks[row]!, i * 3, 3);
      this.#tokens.append(columns.tokens.buffer, row === 0 ? 0 : columns.tokenEnds[row - 1]!, columns.tokenEnds[row]!);
      this.#oversized[i] = oversizedBy(columns.flags[row]!);
      this.#anyOversized ||= this.#oversized[i] !== 0;
      this.#badges[i] = Math.min(Math.max(0, columns.badges[row]! + (relative ?? 0)), MAX_BADGE);
    }
    this.#tokenEnds[i] = this.#tokens.length;
    this.#addValues(columns, isGone ? -1 : row, i);
  }

  #addValues(columns: Columns, row: number, i: number): void {
    const { tags, valueEnds, values } = columns;
    if (row >= 0 && tags > 0) {
      const first = row * tags;
      const from = first === 0 ? 0 : valueEnds[first - 1]!;
      const shift = this.#values.length - from;
      this.#values.append(values.buffer, from, valueEnds[first + tags - 1]!);
      for (let t = 0; t < tags; t++) this.#valueEnds[i * tags + t] = valueEnds[first + t]! + shift;
    } else {
      this.#valueEnds.fill(this.#values.length, i * tags, (i + 1) * tags);
    }
  }

  #columns(columns: Columns, badges: boolean) {
    const n = this.#count;
    return {
      positions: bytesOf(this.#positions, n),
      tokens: this.#tokens.buffer.subarray(0, this.#tokens.length),
      tokenEnds: bytesOf(this.#tokenEnds, n),
      languages: this.#languages.subarray(0, n),
      languageNames: columns.languageNames,
      values: this.#values.buffer.subarray(0, this.#values.length),
      valueEnds: bytesOf(this.#valueEnds, n * columns.tags),
      displayable: this.#displayable.subarray(0, (n + 7) >>> 3),
      gone: this.#gone.subarray(0, (n + 7) >>> 3),
      checks: this.#checks.subarray(0, n * 3),
      badges: badges ? bytesOf(this.#badges, n) : Buffer.alloc(0),
      oversized: this.#anyOversized ? this.#oversized.subarray(0, n) : Buffer.alloc(0),
    };
  }
}

const bytesOf = (array: Uint16Array | Uint32Array | Int32Array, length: number): Buffer =>
  Buffer.from(array.buffer, array.byteOffset, length * array.BYTES_PER_ELEMENT);

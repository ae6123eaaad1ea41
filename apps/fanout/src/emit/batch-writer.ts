import { badgeIncrement, type DeviceField, MAX_BADGE, variantOf } from '@tidings/channels';
import {
  chunkRecordKey,
  OVERSIZED,
  positionsOfSlice,
  type RecipientSetKey,
  shownBadges,
  SLICE_SIZE,
  SLICES_PER_BATCH,
  SUPPRESSED,
  type Suppression,
} from '@tidings/delivery';
import { type BadgesAllotted, SendBatch, type Slice } from '@tidings/events';
import { type Bitmap, Fault } from '@tidings/kernel';
import {
  type Columns,
  LONG_TOKEN,
  LONG_VALUES,
  NOT_DISPLAYABLE,
  SUPPRESSED_FLAGS,
  Texts,
} from '@tidings/registry-store';
import type { OutRecord } from '@tidings/streaming';

export type BatchHead = Pick<
  SendBatch,
  | 'message'
  | 'messageId'
  | 'campaignId'
  | 'account'
  | 'content'
  | 'credential'
  | 'releasedAt'
  | 'atMostOnce'
  | 'sendRate'
  | 'applicationTitle'
  | 'entry'
  | 'marketing'
  | 'outcomesAgain'
>;

const MAX_DEVICES = SLICES_PER_BATCH * SLICE_SIZE;
const FULL_BYTES = 512 * 1024;

const suppressions = Object.keys(SUPPRESSED_FLAGS) as Suppression[];
const ANY_SUPPRESSED = Object.values(SUPPRESSED_FLAGS).reduce((all, flag) => all | flag, 0);

function oversizedBy(flags: number): number {
  if ((flags & ANY_SUPPRESSED) !== 0) return SUPPRESSED[suppressions.find((each) => flags & SUPPRESSED_FLAGS[each])!];
  if ((flags & LONG_TOKEN) !== 0) return OVERSIZED.token;
  return (flags & LONG_VALUES) !== 0 ? OVERSIZED.values : 0;
}

export interface SlicesToWrite {
  readonly key: RecipientSetKey;
  readonly head: BatchHead;
  readonly recipients: Bitmap;
  readonly slices: readonly number[];
  readonly sliceSize?: number;
  readonly badges?: BadgesAllotted | undefined;
}

export interface EmittedBatch {
  readonly record: OutRecord;
  readonly slices: readonly number[];
}

/** The members of a slice never change: devices that moved or were not scanned are marked as gone. */
export class BatchWriter {
  // Node runs only on little-endian machines, so these arrays are the wire format.
  readonly #positions = new Uint16Array(MAX_DEVICES);
  readonly #languages = Buffer.alloc(MAX_DEVICES);
  readonly #displayable = Buffer.alloc(MAX_DEVICES / 8);
  readonly #gone = Buffer.alloc(MAX_DEVICES / 8);
  readonly #checks = Buffer.alloc(MAX_DEVICES * 3);
  readonly #badges = new Int32Array(MAX_DEVICES);
  readonly #oversized = Buffer.alloc(MAX_DEVICES);
  #anyOversized = false;
  readonly #tokens = new Texts();
  readonly #values = new Texts();
  readonly #columns = new Texts();
  #count = 0;

  *write(
    columns: Columns,
    { key, head, recipients, slices, sliceSize, badges }: SlicesToWrite,
  ): Generator<EmittedBatch> {
    const positions = recipients.positions();
    const layout = layoutOf(columns, key, head, badges);
    const close = (of: readonly Slice[]): EmittedBatch => {
      const batch = { ...this.#written(columns, layout), ...head, ...key, slices: [...of] };
      const record = { key: chunkRecordKey(key), value: SendBatch.encode(batch).finish() };
      this.#reset(layout);
      return { record, slices: of.map(({ number }) => number) };
    };
    let open: Slice[] = [];
    this.#reset(layout);
    for (const number of slices) {
      const part = positionsOfSlice(positions, number, sliceSize);
      const isFull =
        open.length === SLICES_PER_BATCH ||
        this.#tokens.length + this.#values.length + this.#columns.length + columns.bytesOf(part) > FULL_BYTES;
      if (open.length > 0 && isFull) {
        yield close(open);
        open = [];
      }
      open.push({ number, first: this.#count, count: part.length });
      for (const position of part) this.#add(columns, layout, position);
    }
    if (open.length > 0) yield close(open);
  }

  #reset({ tags, names }: Layout): void {
    this.#count = 0;
    this.#tokens.reset(1);
    this.#values.reset(tags);
    this.#columns.reset(names.length);
    this.#anyOversized = false;
    this.#displayable.fill(0);
    this.#gone.fill(0);
  }

  #add(columns: Columns, { platform, increments, badgeAt, ...layout }: Layout, position: number): void {
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
      this.#tokens.end(i, 0);
      this.#values.addEmpty(i);
      this.#columns.addEmpty(i);
    } else {
      if ((columns.flags[row]! & NOT_DISPLAYABLE) === 0) this.#displayable[i >>> 3]! |= 1 << (i & 7);
      const language = columns.languages[row]!;
      this.#languages[i] = language;
      this.#checks.writeUIntBE(columns.checks[row]!, i * 3, 3);
      this.#oversized[i] = oversizedBy(columns.flags[row]!);
      this.#anyOversized ||= this.#oversized[i] !== 0;
      const own = columns.badges[row]! + (increments[language] ?? 0);
      this.#badges[i] = badgeAt?.(position) ?? Math.min(Math.max(0, own), MAX_BADGE);
      this.#addTexts(columns, layout, row, i);
    }
  }

  #addTexts(
    columns: Columns,
    { address, tags, sources }: Omit<Layout, 'platform' | 'increments' | 'badgeAt'>,
    row: number,
    i: number,
  ): void {
    if (address < 0) this.#tokens.copy(i, 0, columns.tokens, row, 0);
    else this.#tokens.copy(i, 0, columns.fieldTexts, row, address);
    for (let tag = 0; tag < tags; tag++) this.#values.copy(i, tag, columns.values, row, tag);
    for (let c = 0; c < sources.length; c++) this.#columns.copy(i, c, columns.fieldTexts, row, sources[c]!);
  }

  #written(columns: Columns, { tags, increments, names }: Layout) {
    const n = this.#count;
    return {
      positions: bytesOf(this.#positions, n),
      tokens: textsOf(this.#tokens),
      tokenEnds: bytesOf(this.#tokens.ends, n),
      languages: this.#languages.subarray(0, n),
      languageNames: columns.languageNames,
      values: textsOf(this.#values),
      valueEnds: bytesOf(this.#values.ends, n * tags),
      displayable: this.#displayable.subarray(0, (n + 7) >>> 3),
      gone: this.#gone.subarray(0, (n + 7) >>> 3),
      checks: this.#checks.subarray(0, n * 3),
      badges: increments.every((each) => each === undefined) ? Buffer.alloc(0) : bytesOf(this.#badges, n),
      oversized: this.#anyOversized ? this.#oversized.subarray(0, n) : Buffer.alloc(0),
      columnNames: [...names],
      columns: textsOf(this.#columns),
      columnEnds: bytesOf(this.#columns.ends, n * names.length),
    };
  }
}

interface Layout {
  readonly platform: number;
  readonly increments: readonly (number | undefined)[];
  readonly badgeAt: ((position: number) => number | undefined) | undefined;
  readonly tags: number;
  readonly address: number;
  readonly names: readonly DeviceField[];
  readonly sources: readonly number[];
}

function layoutOf(
  { values, fieldNames, languageNames }: Columns,
  key: RecipientSetKey,
  { content }: BatchHead,
  badges: BadgesAllotted | undefined,
): Layout {
  const { platform, variant } = key;
  const { address, columns: names = [] } = variantOf(key);
  const sourceOf = (field: DeviceField): number => {
    const source = fieldNames.indexOf(field);
    if (source < 0) throw Fault.bug(`the field ${field} of variant ${variant} was not scanned`);
    return source;
  };
  return {
    platform,
    increments: languageNames.map((language) => badgeIncrement({ platform, variant, content }, language)),
    badgeAt: badges && shownBadges(badges),
    tags: values.width,
    address: address ? sourceOf(address) : -1,
    names,
    sources: names.map(sourceOf),
  };
}

const textsOf = ({ bytes }: Texts): Buffer => bytes.buffer.subarray(0, bytes.length);

const bytesOf = (array: Uint16Array | Uint32Array | Int32Array, length: number): Buffer =>
  Buffer.from(array.buffer, array.byteOffset, length * array.BYTES_PER_ELEMENT);

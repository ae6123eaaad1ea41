import { CHUNK_SIZE } from '@tidings/kernel';
import type { Candidates } from '@tidings/delivery';

/** Bits of {@link Columns.flags}. */
export const HAS_TOKEN = 1;
export const NOT_DISPLAYABLE = 2;
/** The device has a token that exceeds the limit of a batch; the columns do not contain it. */
export const LONG_TOKEN = 4;
/** The personal values exceed the limit of a batch. */
export const LONG_VALUES = 8;
/** The columns are full: the device's token and values must be read again. */
const NOT_HELD = 16;

/**
 * Maximum bytes of tokens and values in columns. A chunk of devices with the largest of both would take 800 MB. Those of a single slice always fit,
 * with all devices that are read between them.
 */
const HELD_BYTES = 64 * 1024 * 1024;

/** Larger buffers are not kept for the next scan. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** The largest badge, as base and as displayed. */
export const MAX_BADGE = 2_147_483_647;

/** The data of one device; texts are already in the columns' buffers. */
export interface Row {
  position: number;
  platform: number;
  flags: number;
  language: string;
  controlBucket: number;
  check: number;
  badge: number;
}

/** Language index 0 is "no language"; a chunk has room for 255 others. */
const MAX_LANGUAGES = 256;

/** A reused buffer that grows by doubling. */
export class Bytes {
  buffer = Buffer.allocUnsafeSlow(4096);
  length = 0;

  /** Reserves `more` bytes after the length. */
  reserve(more: number): void {
    if (this.length + more <= this.buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.length + more));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }

  clear(): void {
    this.length = 0;
    if (this.buffer.length > KEPT_BYTES) this.buffer = Buffer.allocUnsafeSlow(4096);
  }

  append(source: Uint8Array, from: number, to: number): void {
    this.reserve(to - from);
    const { buffer } = this;
    let at = this.length;
    // Tokens are short: for them a loop is faster than a copy.
    if (to - from > 64) buffer.set(source.subarray(from, to), at);
    else for (let i = from; i < to; i++) buffer[at++] = source[i]!;
    this.length += to - from;
  }

  /** Truncates to `length` or, if that is inside a character, to the preceding boundary. */
  cutText(length: number): void {
    this.length = length;
    while (this.length > 0 && (this.buffer[this.length]! & 0xc0) === 0x80) this.length--;
  }

  appendText(text: string): void {
    this.reserve(text.length * 3);
    this.length += this.buffer.write(text, this.length, 'utf8');
  }
}

/**
 * The devices of a scan, one array per property: a chunk has up to 65,536 of them, for which objects would cost more than the scan. Created once and
 * reset for each scan.
 */
export class Columns implements Candidates {
  count = 0;
  positions = new Uint16Array(1024);
  platforms = new Uint8Array(1024);
  flags = new Uint8Array(1024);
  languages = new Uint8Array(1024);
  controlBuckets = new Uint16Array(1024);
  checks = new Uint32Array(1024);
  /** Bases of relative badges. */
  badges = new Int32Array(1024);
  tokenEnds = new Uint32Array(1024);
  readonly tokens = new Bytes();
  /** Values of the content's tags, `tags` per device. */
  valueEnds = new Uint32Array(1024);
  readonly values = new Bytes();
  tags = 0;
  readonly languageNames: string[] = [''];
  readonly #languageNumbers = new Map<string, number>([['', 0]]);
  /** Row of a position, plus one; 0 = not scanned. */
  readonly #rows = new Int32Array(CHUNK_SIZE);
  /** Whether tokens and values of all devices are held. */
  isWhole = true;
  readonly #heldBytes: number;

  /** @param heldBytes maximum bytes of tokens and values @default 64 MiB */
  constructor(heldBytes = HELD_BYTES) {
    this.#heldBytes = heldBytes;
  }

  /** Clears the columns for a scan with this number of value tags. */
  reset(tags: number): void {
    for (let i = 0; i < this.count; i++) this.#rows[this.positions[i]!] = 0;
    this.count = 0;
    this.isWhole = true;
    this.tokens.clear();
    this.values.clear();
    this.tags = tags;
    this.languageNames.length = 1;
    this.#languageNumbers.clear();
    this.#languageNumbers.set('', 0);
  }

  /** The row of the device at a position of the chunk, or -1. */
  rowOf(position: number): number {
    return this.#rows[position]! - 1;
  }

  /** Bytes of the tokens and values of the devices at these positions. */
  bytesOf(positions: Uint16Array): number {
    const { tags, tokenEnds, valueEnds } = this;
    let bytes = 0;
    for (const position of positions) {
      const row = this.rowOf(position);
      if (row < 0) continue;
      bytes += tokenEnds[row]! - (row === 0 ? 0 : tokenEnds[row - 1]!);
      if (tags > 0) bytes += valueEnds[(row + 1) * tags - 1]! - (row === 0 ? 0 : valueEnds[row * tags - 1]!);
    }
    return bytes;
  }

  /** Whether the columns hold the tokens and values of the scanned devices at these positions. */
  holds(positions: Uint16Array): boolean {
    return (
      this.isWhole || positions.every((at) => this.rowOf(at) < 0 || (this.flags[this.rowOf(at)]! & NOT_HELD) === 0)
    );
  }

  hasToken(row: number): boolean {
    return (this.flags[row]! & HAS_TOKEN) !== 0;
  }

  /** Adds a device whose token and values have just been appended. A device is added only once. */
  add(row: Row): void {
    const i = this.count;
    if (this.#rows[row.position]! > 0) {
      this.#dropLast();
      return;
    }
    if (i === this.positions.length) this.#grow();
    this.positions[i] = row.position;
    this.platforms[i] = row.platform;
    this.flags[i] = row.flags;
    if (this.tokens.length + this.values.length > this.#heldBytes) {
      this.#dropLast();
      for (let tag = 0; tag < this.tags; tag++) this.endValue(tag);
      this.flags[i] |= NOT_HELD;
      this.isWhole = false;
    }
    this.languages[i] = this.#languageNumber(row.language);
    this.controlBuckets[i] = row.controlBucket;
    this.checks[i] = row.check;
    this.badges[i] = row.badge;
    this.tokenEnds[i] = this.tokens.length;
    this.#rows[row.position] = ++this.count;
  }

  /** Marks the end of the next value of the device to be added. */
  endValue(tag: number): void {
    const at = this.count * this.tags + tag;
    if (at >= this.valueEnds.length) this.valueEnds = grown(this.valueEnds, (length) => new Uint32Array(length));
    this.valueEnds[at] = this.values.length;
  }

  /** Removes the token and the values that were appended for the next device. */
  #dropLast(): void {
    const i = this.count;
    this.tokens.length = i === 0 ? 0 : this.tokenEnds[i - 1]!;
    this.values.length = i === 0 || this.tags === 0 ? 0 : this.valueEnds[i * this.tags - 1]!;
  }

  #languageNumber(name: string): number {
    const known = this.#languageNumbers.get(name);
    if (known !== undefined) return known;
    if (this.languageNames.length === MAX_LANGUAGES) return 0;
    this.#languageNumbers.set(name, this.languageNames.length);
    return this.languageNames.push(name) - 1;
  }

  #grow(): void {
    this.positions = grown(this.positions, (length) => new Uint16Array(length));
    this.platforms = grown(this.platforms, (length) => new Uint8Array(length));
    this.flags = grown(this.flags, (length) => new Uint8Array(length));
    this.languages = grown(this.languages, (length) => new Uint8Array(length));
    this.controlBuckets = grown(this.controlBuckets, (length) => new Uint16Array(length));
    this.checks = grown(this.checks, (length) => new Uint32Array(length));
    this.badges = grown(this.badges, (length) => new Int32Array(length));
    this.tokenEnds = grown(this.tokenEnds, (length) => new Uint32Array(length));
  }
}

function grown<A extends { readonly length: number; set(source: A): void }>(array: A, make: (length: number) => A): A {
  const larger = make(array.length * 2);
  larger.set(array);
  return larger;
}

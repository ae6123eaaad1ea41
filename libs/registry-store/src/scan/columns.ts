import type { DeviceField } from '@tidings/channels';
import { CHUNK_SIZE } from '@tidings/kernel';
import type { BadgeCandidates, Candidates, Suppression } from '@tidings/delivery';
import { Texts } from './texts.ts';

/** Bits of {@link Columns.flags}. */
export const NOT_DISPLAYABLE = 1;
/** The device has a token that exceeds the limit of a batch; the columns do not contain it. */
export const LONG_TOKEN = 2;
/** The personal values exceed the limit of a batch. */
export const LONG_VALUES = 4;
/** The columns are full: the texts of the device must be read again. */
const NOT_HELD = 8;
/** The contact gets no mail any more, although it was planned; one of them at most. */
export const SUPPRESSED_FLAGS = {
  BOUNCED: 16,
  COMPLAINT: 32,
  UNSUBSCRIBED: 64,
  FILTERED_BY_CATEGORY: 128,
} as const satisfies Record<Suppression, number>;

/**
 * Maximum bytes of the texts in columns. A chunk of devices with the longest tokens and values would take 800 MB. The texts of a single slice always
 * fit, with all devices that are read between its devices.
 */
const HELD_BYTES = 64 * 1024 * 1024;

/** The data of one device; texts are already in the columns' buffers. */
export interface Row {
  position: number;
  platform: number;
  flags: number;
  /** Bits of the fields that the device has: `TOKEN_BIT` and the bits of `fieldBit`. */
  fields: number;
  language: string;
  controlBucket: number;
  check: number;
  badge: number;
  badgeGeneration: number;
}

/** Language index 0 is "no language"; a chunk has room for 255 others. */
const MAX_LANGUAGES = 256;

/**
 * The devices of a scan, one array per property: a chunk has up to 65,536 of them, for which objects would cost more than the scan. Created once and
 * reset for each scan.
 */
export class Columns implements Candidates, BadgeCandidates {
  count = 0;
  positions = new Uint16Array(1024);
  platforms = new Uint8Array(1024);
  flags = new Uint8Array(1024);
  fields = new Uint8Array(1024);
  languages = new Uint8Array(1024);
  controlBuckets = new Uint16Array(1024);
  checks = new Uint32Array(1024);
  /** The badges that devices have set, and numbers that grow each time; 0 if the scan does not read them. */
  badges = new Int32Array(1024);
  badgeGenerations = new Float64Array(1024);
  readonly tokens = new Texts();
  /** Values of the content's tags. */
  readonly values = new Texts();
  /** The device fields of `fieldNames`. */
  readonly fieldTexts = new Texts();
  fieldNames: readonly DeviceField[] = [];
  readonly languageNames: string[] = [''];
  readonly #languageNumbers = new Map<string, number>([['', 0]]);
  /** Row of a position, plus one; 0 = not scanned. */
  readonly #rows = new Int32Array(CHUNK_SIZE);
  /** Whether the texts of all devices are held. */
  isWhole = true;
  readonly #heldBytes: number;

  /** @param heldBytes maximum bytes of all texts @default 64 MiB */
  constructor(heldBytes = HELD_BYTES) {
    this.#heldBytes = heldBytes;
  }

  /** Clears the columns for a scan with this number of value tags, and these device fields. */
  reset(tags: number, fieldNames: readonly DeviceField[]): void {
    for (let i = 0; i < this.count; i++) this.#rows[this.positions[i]!] = 0;
    this.count = 0;
    this.isWhole = true;
    this.tokens.reset(1);
    this.values.reset(tags);
    this.fieldTexts.reset(fieldNames.length);
    this.fieldNames = fieldNames;
    this.languageNames.length = 1;
    this.#languageNumbers.clear();
    this.#languageNumbers.set('', 0);
  }

  /** The row of the device at a position of the chunk, or -1. */
  rowOf(position: number): number {
    return this.#rows[position]! - 1;
  }

  /** Bytes of the texts of the devices at these positions. */
  bytesOf(positions: Uint16Array): number {
    let bytes = 0;
    for (const position of positions) {
      const row = this.rowOf(position);
      if (row >= 0) bytes += this.tokens.bytesOf(row) + this.values.bytesOf(row) + this.fieldTexts.bytesOf(row);
    }
    return bytes;
  }

  /** Whether the columns hold the texts of the scanned devices at these positions. */
  holds(positions: Uint16Array): boolean {
    return (
      this.isWhole || positions.every((at) => this.rowOf(at) < 0 || (this.flags[this.rowOf(at)]! & NOT_HELD) === 0)
    );
  }

  /** Adds a device whose texts have just been appended. A device is added only once. */
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
    this.fields[i] = row.fields;
    if (this.tokens.length + this.values.length + this.fieldTexts.length > this.#heldBytes) {
      this.#dropLast();
      this.values.addEmpty(i);
      this.fieldTexts.addEmpty(i);
      this.flags[i] |= NOT_HELD;
      this.isWhole = false;
    }
    this.languages[i] = this.#languageNumber(row.language);
    this.controlBuckets[i] = row.controlBucket;
    this.checks[i] = row.check;
    this.badges[i] = row.badge;
    this.badgeGenerations[i] = row.badgeGeneration;
    this.tokens.end(i, 0);
    this.#rows[row.position] = ++this.count;
  }

  /** Removes the texts that were appended for the next device. */
  #dropLast(): void {
    this.tokens.truncate(this.count);
    this.values.truncate(this.count);
    this.fieldTexts.truncate(this.count);
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
    this.fields = grown(this.fields, (length) => new Uint8Array(length));
    this.languages = grown(this.languages, (length) => new Uint8Array(length));
    this.controlBuckets = grown(this.controlBuckets, (length) => new Uint16Array(length));
    this.checks = grown(this.checks, (length) => new Uint32Array(length));
    this.badges = grown(this.badges, (length) => new Int32Array(length));
    this.badgeGenerations = grown(this.badgeGenerations, (length) => new Float64Array(length));
  }
}

function grown<A extends { readonly length: number; set(source: A): void }>(array: A, make: (length: number) => A): A {
  const larger = make(array.length * 2);
  larger.set(array);
  return larger;
}

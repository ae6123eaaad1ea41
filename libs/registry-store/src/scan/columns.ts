import type { DeviceField } from '@tidings/channels';
import { CHUNK_SIZE } from '@tidings/kernel';
import type { BadgeCandidates, Candidates, Suppression } from '@tidings/delivery';
import { Texts } from './texts.ts';

export const NOT_DISPLAYABLE = 1;
/** Omitted: it exceeds the limit of a batch. */
export const LONG_TOKEN = 2;
export const LONG_VALUES = 4;
/** The columns are full: the device must be read again. */
const NOT_LOADED = 8;
export const SUPPRESSED_FLAGS = {
  BOUNCED: 16,
  COMPLAINT: 32,
  UNSUBSCRIBED: 64,
  FILTERED_BY_CATEGORY: 128,
} as const satisfies Record<Suppression, number>;

/** The longest texts of a chunk would take 800 MB; those of a slice always fit. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

export interface Row {
  position: number;
  platform: number;
  flags: number;
  fields: number;
  language: string;
  controlBucket: number;
  check: number;
  badge: number;
  badgeGeneration: number;
}

const MAX_LANGUAGES = 256;

/** An array per property: 65,536 objects would cost more than the scan. Reused. */
export class Columns implements Candidates, BadgeCandidates {
  count = 0;
  positions = new Uint16Array(1024);
  platforms = new Uint8Array(1024);
  flags = new Uint8Array(1024);
  fields = new Uint8Array(1024);
  languages = new Uint8Array(1024);
  controlBuckets = new Uint16Array(1024);
  checks = new Uint32Array(1024);
  badges = new Int32Array(1024);
  badgeGenerations = new Float64Array(1024);
  readonly tokens = new Texts();
  readonly values = new Texts();
  readonly fieldTexts = new Texts();
  fieldNames: readonly DeviceField[] = [];
  readonly languageNames: string[] = [''];
  readonly #languageNumbers = new Map<string, number>([['', 0]]);
  /** Row of a position, plus one; 0 = not scanned. */
  readonly #rows = new Int32Array(CHUNK_SIZE);
  isWhole = true;
  readonly #maxTextBytes: number;

  constructor(maxTextBytes = MAX_TEXT_BYTES) {
    this.#maxTextBytes = maxTextBytes;
  }

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

  rowOf(position: number): number {
    return this.#rows[position]! - 1;
  }

  bytesOf(positions: Uint16Array): number {
    let bytes = 0;
    for (const position of positions) {
      const row = this.rowOf(position);
      if (row >= 0) bytes += this.tokens.bytesOf(row) + this.values.bytesOf(row) + this.fieldTexts.bytesOf(row);
    }
    return bytes;
  }

  hasTexts(positions: Uint16Array): boolean {
    return (
      this.isWhole || positions.every((at) => this.rowOf(at) < 0 || (this.flags[this.rowOf(at)]! & NOT_LOADED) === 0)
    );
  }

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
    if (this.tokens.length + this.values.length + this.fieldTexts.length > this.#maxTextBytes) {
      this.#dropLast();
      this.values.addEmpty(i);
      this.fieldTexts.addEmpty(i);
      this.flags[i] |= NOT_LOADED;
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

  #dropLast(): void {
    this.tokens.truncate(this.count);
    this.values.truncate(this.count);
    this.fieldTexts.truncate(this.count);
  }

  #languageNumber(name: string): number {
    const number = this.#languageNumbers.get(name);
    if (number !== undefined) return number;
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

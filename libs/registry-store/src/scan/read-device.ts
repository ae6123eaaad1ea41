import { distanceMeters } from '@tidings/audience';
import { ACTIVITY_TOKEN, type DeviceField, fieldBit, MAX_BADGE, TOKEN_BIT } from '@tidings/channels';
import type { Circle } from '@tidings/events';
import { CHUNK_SIZE, TOKEN_BYTES } from '@tidings/kernel';
import { type Comparable, deviceTraits, type Predicate } from '@tidings/segments';
import { nameOf, numberAt, sizeOf, Type } from './bson.ts';
import { type Columns, LONG_TOKEN, LONG_VALUES, NOT_DISPLAYABLE, type Row } from './columns.ts';
import { DeviceValues } from './device-values.ts';
import { Coordinate, LETTER_K, LETTER_T, Name, SHORT, Short } from './field-names.ts';
import { fieldTags, type SiblingResults, type ScanFields } from './scan-fields.ts';

const SIXTETS = new Uint8Array(128);
[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].forEach((character, value) => {
  SIXTETS[character.charCodeAt(0)] = value;
});

const KEY_BYTES = 512;
const FIELD_BYTES: Readonly<Record<DeviceField, number>> = {
  publicKey: KEY_BYTES,
  authToken: KEY_BYTES,
  fcmToken: TOKEN_BYTES,
  startToken: TOKEN_BYTES,
  activityToken: TOKEN_BYTES,
};

const NO_DOCUMENT = Buffer.alloc(0);

/** The driver's decoding costs three times the rest of the scan. Supports only types of stored devices. */
export class DeviceReader {
  readonly #columns: Columns;
  readonly #predicate: Predicate | undefined;
  readonly #siblings: SiblingResults | undefined;
  readonly #siblingSlots: readonly (Comparable[] | undefined)[];
  #document: Buffer = NO_DOCUMENT;
  #hashAt = 0;
  readonly #values: DeviceValues;
  readonly #row: Row = {
    position: 0,
    platform: 0,
    flags: 0,
    fields: 0,
    language: '',
    controlBucket: 0,
    check: 0,
    badge: 0,
    badgeGeneration: 0,
  };
  readonly #platforms: Comparable[] | undefined;
  readonly #tokens: Comparable[] | undefined;
  readonly #fields: readonly DeviceField[];
  readonly #fieldNames: readonly number[];
  readonly #fieldPlaces: number[];
  readonly #languages: ReadonlySet<string> | undefined;
  readonly #circle: Circle | undefined;
  readonly #place = { lat: NaN, lng: NaN };
  readonly #activity: Buffer;
  readonly #activitySlot: number;

  constructor(columns: Columns, scanFields: ScanFields) {
    const { predicate, values = [], fields = [], activity = '', languages, circle, siblings } = scanFields;
    this.#columns = columns;
    this.#languages = languages;
    this.#circle = circle;
    this.#predicate = predicate;
    this.#values = new DeviceValues(predicate, values);
    this.#siblings = siblings;
    this.#siblingSlots = predicate?.siblings?.conditions.map(({ trait }) => this.#values.comparedOf(trait)) ?? [];
    this.#platforms = this.#values.comparedOf(deviceTraits.platform);
    this.#tokens = this.#values.comparedOf(deviceTraits.token);
    this.#fields = fields;
    this.#fieldNames = fields.map((field) => (field === ACTIVITY_TOKEN ? 0 : nameOf(field)));
    this.#activity = Buffer.from(activity);
    this.#activitySlot = activity === '' ? -1 : fields.indexOf(ACTIVITY_TOKEN);
    this.#fieldPlaces = fields.map(() => 0);
    columns.reset(values.length, fields);
  }

  read(document: Buffer): void {
    const row = this.#row;
    const columns = this.#columns;
    if (!this.#isPresent(document) || !this.#isSelected()) {
      columns.tokens.truncate(columns.count);
      return;
    }
    if (!this.#values.write(document, columns)) row.flags |= LONG_VALUES;
    this.#writeFields(document);
    if (this.#languages && !this.#languages.has(row.language)) row.language = '';
    columns.add(row);
  }

  /** `hwidHash` then belongs to this device. */
  needsSiblings(document: Buffer): boolean {
    const isNeeded = this.#isPresent(document) && this.#predicate?.siblings?.decide(this.#values.compared) === true;
    this.#columns.tokens.truncate(this.#columns.count);
    return isNeeded;
  }

  get hwidHash(): string {
    const at = this.#hashAt;
    return this.#document.toString('latin1', at + 4, at + 3 + this.#document.readInt32LE(at));
  }

  #isPresent(document: Buffer): boolean {
    const row = this.#row;
    row.flags = 0;
    row.fields = 0;
    row.badge = 0;
    row.badgeGeneration = 0;
    row.language = '';
    this.#values.clear();
    this.#fieldPlaces.fill(0);
    this.#place.lat = this.#place.lng = NaN;
    this.#document = document;
    return (
      this.#readFields(document) &&
      (!this.#circle || distanceMeters(this.#circle, this.#place) <= this.#circle.rangeMeters)
    );
  }

  #isSelected(): boolean {
    if (this.#siblings && this.#siblingSlots.length > 0) {
      const hash = this.hwidHash;
      for (const [condition, slot] of this.#siblingSlots.entries()) {
        if (this.#siblings.meets(hash, condition)) slot?.push(true);
      }
    }
    return !this.#predicate || this.#predicate.matches(this.#values.compared);
  }

  #readFields(b: Buffer): boolean {
    const row = this.#row;
    const end = b.length - 1;
    let present = false;
    let p = 4;
    while (p < end) {
      const type = b[p++]!;
      const name = b.readInt32LE(p);
      while (b[p] !== 0) p++;
      p++;
      switch (name) {
        case Name.seq:
          row.position = (type === Type.Int32 ? b.readInt32LE(p) : b.readDoubleLE(p)) % CHUNK_SIZE;
          break;
        case Name.status:
          present = b[p] === 1;
          break;
        case Name.platform:
          row.platform = b[p]!;
          this.#platforms?.push(row.platform);
          break;
        case Name.token:
          this.#tokens?.push(true);
          this.#readToken(b, p);
          break;
        case Name.lang:
          row.language = b.toString('latin1', p + 4, p + 3 + b.readInt32LE(p));
          this.#values.take(fieldTags.lang.number, b, p, type, 0);
          break;
        case Name.alerts:
          if (b[p] === 0) row.flags |= NOT_DISPLAYABLE;
          this.#values.take(fieldTags.alerts.number, b, p, type, 0);
          break;
        case Name.hwidHash:
          this.#hashAt = p;
          row.check =
            (SIXTETS[b[p + 4]!]! << 18) |
            (SIXTETS[b[p + 5]!]! << 12) |
            (SIXTETS[b[p + 6]!]! << 6) |
            SIXTETS[b[p + 7]!]!;
          break;
        case Name.tags:
          this.#values.readTags(b, p);
          break;
        case Name.self:
          this.#readSelfReported(b, p);
          break;
        case Name.activities:
          if (this.#activitySlot >= 0) this.#readActivities(b, p);
          break;
        default:
          if ((name & SHORT) === Short.cg) row.controlBucket = b.readInt32LE(p);
          else if ((name & SHORT) === Short.tz) this.#values.take(fieldTags.tz.number, b, p, type, 0);
          else this.#placeField(name, p);
      }
      p += sizeOf(b, p, type);
    }
    return present;
  }

  /** A longer token of an earlier version must affect no other device. */
  #readToken(b: Buffer, p: number): void {
    const bytes = b.readInt32LE(p) - 1;
    this.#row.fields |= TOKEN_BIT;
    if (bytes > TOKEN_BYTES) this.#row.flags |= LONG_TOKEN;
    else this.#columns.tokens.bytes.append(b, p + 4, p + 4 + bytes);
  }

  #placeField(name: number, p: number): void {
    const slot = this.#fieldNames.indexOf(name);
    if (slot >= 0) this.#fieldPlaces[slot] = p;
  }

  #readSelfReported(b: Buffer, start: number): void {
    const end = start + b.readInt32LE(start) - 1;
    let p = start + 4;
    while (p < end) {
      const type = b[p++]!;
      const name = b.readInt32LE(p);
      while (b[p] !== 0) p++;
      p++;
      if (name === Name.badge) this.#row.badge = Math.min(numberAt(b, p, type), MAX_BADGE);
      else if (name === Name.setBadges) this.#row.badgeGeneration = numberAt(b, p, type);
      else if (name === Name.open) this.#values.take(fieldTags.open.number, b, p, type, 0);
      else if (name === Name.place) this.#readPlace(b, p);
      p += sizeOf(b, p, type);
    }
  }

  #readPlace(b: Buffer, start: number): void {
    const end = start + b.readInt32LE(start) - 1;
    let p = start + 4;
    while (p < end) {
      const type = b[p++]!;
      const name = b.readInt32LE(p);
      while (b[p] !== 0) p++;
      p++;
      if (name === Coordinate.lat) this.#place.lat = numberAt(b, p, type);
      else if (name === Coordinate.lng) this.#place.lng = numberAt(b, p, type);
      p += sizeOf(b, p, type);
    }
  }

  #readActivities(b: Buffer, start: number): void {
    const end = start + b.readInt32LE(start) - 1;
    let p = start + 4;
    while (p < end) {
      p++;
      while (b[p] !== 0) p++;
      p++;
      const token = this.#tokenIn(b, p);
      if (token > 0) this.#fieldPlaces[this.#activitySlot] = token;
      p += b.readInt32LE(p);
    }
  }

  #tokenIn(b: Buffer, start: number): number {
    const end = start + b.readInt32LE(start) - 1;
    let isRequested = false;
    let token = 0;
    let p = start + 4;
    while (p < end) {
      const type = b[p++]!;
      const letter = b[p]!;
      while (b[p] !== 0) p++;
      p++;
      if (letter === LETTER_K) isRequested = b.subarray(p + 4, p + 3 + b.readInt32LE(p)).equals(this.#activity);
      else if (letter === LETTER_T) token = p;
      p += sizeOf(b, p, type);
    }
    return isRequested ? token : 0;
  }

  #writeFields(b: Buffer): void {
    const { fieldTexts, count } = this.#columns;
    for (let slot = 0; slot < fieldTexts.width; slot++) {
      const at = this.#fieldPlaces[slot]!;
      const bytes = at === 0 ? 0 : b.readInt32LE(at) - 1;
      if (bytes > 0 && bytes <= FIELD_BYTES[this.#fields[slot]!]) {
        fieldTexts.bytes.append(b, at + 4, at + 4 + bytes);
        this.#row.fields |= fieldBit(this.#fields[slot]!);
      }
      fieldTexts.end(count, slot);
    }
  }
}

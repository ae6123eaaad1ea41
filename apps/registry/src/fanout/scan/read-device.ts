import { ACTIVITY_TOKEN, type DeviceField, fieldBit, TOKEN_BIT } from '@tidings/channels';
import { defaultTags, distanceMeters, formatDate, plainText, type TagDefinition } from '@tidings/audience';
import { type Circle, TagType } from '@tidings/events';
import { CHUNK_SIZE, exactInteger, TOKEN_BYTES } from '@tidings/kernel';
import { type Comparable, deviceTraits, type Predicate } from '@tidings/segments';
import { type Columns, LONG_TOKEN, LONG_VALUES, MAX_BADGE, NOT_DISPLAYABLE, type Row } from './columns.ts';

/** The data of each device that a scan needs in addition to the common data of batches. */
export interface Wanted {
  /** Devices that do not match are omitted. */
  readonly predicate?: Predicate | undefined;
  /** Devices whose location is not in it are omitted. */
  readonly circle?: Circle | undefined;
  /** Tags whose values are written to the columns as text; undefined for a name that is not a tag. */
  readonly values?: readonly (TagDefinition | undefined)[];
  /** Device fields that are written to the columns. @default none */
  readonly fields?: readonly DeviceField[];
  /** The live activity whose token is the field `activityToken`, a keyed hash. @default "", none */
  readonly activity?: string;
  /** Read the base of relative badges. */
  readonly badge?: boolean;
  /** Other languages are read as none: a batch has room for 255, and devices may have thousands. @default all */
  readonly languages?: ReadonlySet<string> | undefined;
}

/** The field of the document that holds a device field: tokens of live activities are in a list. */
const storedAs = (field: DeviceField): string => (field === ACTIVITY_TOKEN ? 'activities' : field);

type WantedTag = Pick<TagDefinition, 'number' | 'type'>;

/** Tags that are stored as fields, by tag number. */
const fieldTags = {
  lang: defaultTags.language,
  tz: defaultTags.timezone,
  alerts: defaultTags.pushAlertsEnabled,
  open: defaultTags.lastApplicationOpen,
} as const;

/** Traits of a device are stored as fields, too. */
const isField = (number: number): boolean =>
  number < 0 || Object.values(fieldTags).some((tag) => tag.number === number);

/** The projection of a scan: exactly the fields that {@link DeviceReader} reads. */
export function projectionOf(wanted: Wanted): Record<string, 0 | 1> {
  const numbers = [
    ...(wanted.predicate?.tags.map(({ tag }) => tag) ?? []),
    ...(wanted.values?.flatMap((tag) => (tag ? [tag.number] : [])) ?? []),
  ];
  return {
    _id: 0,
    seq: 1,
    status: 1,
    platform: 1,
    token: 1,
    lang: 1,
    alerts: 1,
    cg: 1,
    hwidHash: 1,
    ...(numbers.some((number) => !isField(number)) ? { tags: 1 } : {}),
    ...(numbers.includes(fieldTags.tz.number) ? { tz: 1 } : {}),
    ...(numbers.includes(fieldTags.open.number) ? { 'self.open': 1 } : {}),
    ...Object.fromEntries((wanted.fields ?? []).map((field) => [storedAs(field), 1 as const])),
    ...(wanted.badge ? { 'self.badge': 1 } : {}),
    ...(wanted.circle ? { 'self.place': 1 } : {}),
  };
}

/** A value as the text of a placeholder (R-RES9, R-I17). */
function textOf(type: TagType, value: Comparable): string {
  if (type === TagType.TAG_TYPE_DATE) return formatDate(Number(value));
  return typeof value === 'boolean' ? String(value) : (plainText(value) ?? '');
}

/** BSON types of stored devices. */
const Type = {
  Double: 1,
  String: 2,
  Document: 3,
  Array: 4,
  Binary: 5,
  ObjectId: 7,
  Boolean: 8,
  Date: 9,
  Null: 10,
  Int32: 16,
  Timestamp: 17,
  Int64: 18,
} as const;

/** The first bytes of a field's name with its terminating zero, as little-endian numbers: enough to distinguish the fields. */
const nameOf = (text: string): number => Buffer.from(`${text}\0\0\0\0`).readInt32LE(0);
const Name = {
  seq: nameOf('seq'),
  status: nameOf('stat'),
  platform: nameOf('plat'),
  token: nameOf('toke'),
  lang: nameOf('lang'),
  alerts: nameOf('aler'),
  hwidHash: nameOf('hwid'),
  tags: nameOf('tags'),
  self: nameOf('self'),
  open: nameOf('open'),
  badge: nameOf('badg'),
  place: nameOf('plac'),
  activities: nameOf('activities'),
} as const;
/** `lat` and `lng`. */
const Coordinate = { lat: nameOf('lat'), lng: nameOf('lng') } as const;
/** Names of two letters: the fourth byte belongs to the value. */
const Short = { cg: nameOf('cg'), tz: nameOf('tz') } as const;
const SHORT = 0xffffff;

const SIXTETS = new Uint8Array(128);
[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].forEach((character, value) => {
  SIXTETS[character.charCodeAt(0)] = value;
});

/** Maximum bytes of a value. No push holds as much (R-I23), so truncation makes no difference. */
const VALUE_BYTES = 6144;

/**
 * Maximum bytes of a device's values together, with four more per tag. A slice of devices that all have as much, and tokens of 4 KiB, still fits into
 * a record beside a content of 2 MiB.
 */
const VALUES_BYTES = 8192;
const VALUE_END_BYTES = 4;

/** A longer key of a browser is no key: it is omitted. */
const KEY_BYTES = 512;
/** Maximum bytes of each field: those that are addresses are as long as tokens. */
const FIELD_BYTES: Readonly<Record<DeviceField, number>> = {
  publicKey: KEY_BYTES,
  authToken: KEY_BYTES,
  fcmToken: TOKEN_BYTES,
  startToken: TOKEN_BYTES,
  activityToken: TOKEN_BYTES,
};

/** First letters of the names of a live activity's key and token. */
const LETTER_K = 0x6b;
const LETTER_T = 0x74;

const SEPARATOR = Buffer.from(', ');

/**
 * Reads devices from raw BSON directly into columns: the driver's own decoding costs three times as much as the rest of the scan. It supports only
 * the types of stored devices.
 */
export class DeviceReader {
  readonly #columns: Columns;
  readonly #predicate: Predicate | undefined;
  readonly #values: readonly (WantedTag | undefined)[];
  /** The values for the predicate, in its order. */
  readonly #compared: Comparable[][];
  /** Per value tag: the place of its texts in the document, or a text made of it. */
  readonly #ranges: number[][];
  readonly #texts: string[];
  readonly #comparedSlots = new Map<number, { readonly slot: number; readonly type: TagType }>();
  readonly #valueSlots = new Map<number, { readonly slot: number; readonly type: TagType }>();
  readonly #row: Row = {
    position: 0,
    platform: 0,
    flags: 0,
    fields: 0,
    language: '',
    controlBucket: 0,
    check: 0,
    badge: 0,
  };
  /** The predicate's slot for traits; undefined if it has none. */
  readonly #platforms: Comparable[] | undefined;
  readonly #tokens: Comparable[] | undefined;
  /** The fields by the first bytes of their names, and their places in the document; 0 = absent. */
  readonly #fields: readonly DeviceField[];
  readonly #fieldNames: readonly number[];
  readonly #fieldPlaces: number[];
  readonly #languages: ReadonlySet<string> | undefined;
  readonly #circle: Circle | undefined;
  readonly #place = { lat: NaN, lng: NaN };
  /** The wanted activity, and the slot of its token; -1 = not wanted. */
  readonly #activity: Buffer;
  readonly #activitySlot: number;

  constructor(columns: Columns, { predicate, values = [], fields = [], activity = '', languages, circle }: Wanted) {
    this.#columns = columns;
    this.#languages = languages;
    this.#circle = circle;
    this.#predicate = predicate;
    this.#values = values;
    this.#compared = predicate?.tags.map(() => []) ?? [];
    this.#ranges = values.map(() => []);
    this.#texts = values.map(() => '');
    predicate?.tags.forEach(({ tag, type }, slot) => this.#comparedSlots.set(tag, { slot, type }));
    values.forEach((tag, slot) => tag && this.#valueSlots.set(tag.number, { slot, type: tag.type }));
    const comparedOf = (trait: number): Comparable[] | undefined => {
      const compared = this.#comparedSlots.get(trait);
      return compared && this.#compared[compared.slot];
    };
    this.#platforms = comparedOf(deviceTraits.platform);
    this.#tokens = comparedOf(deviceTraits.token);
    this.#fields = fields;
    // The token of an activity is not a field of the document.
    this.#fieldNames = fields.map((field) => (field === ACTIVITY_TOKEN ? 0 : nameOf(field)));
    this.#activity = Buffer.from(activity);
    this.#activitySlot = activity === '' ? -1 : fields.indexOf(ACTIVITY_TOKEN);
    this.#fieldPlaces = fields.map(() => 0);
    columns.reset(values.length, fields);
  }

  /** Reads one document; adds a row to the columns unless the device is deleted or does not match. */
  read(document: Buffer): void {
    const row = this.#row;
    row.flags = 0;
    row.fields = 0;
    row.badge = 0;
    row.language = '';
    for (const values of this.#compared) values.length = 0;
    for (const ranges of this.#ranges) ranges.length = 0;
    this.#texts.fill('');
    this.#fieldPlaces.fill(0);
    this.#place.lat = this.#place.lng = NaN;
    const columns = this.#columns;
    if (!this.#readFields(document) || !this.#isSelected()) {
      columns.tokens.truncate(columns.count);
      return;
    }
    this.#writeValues(document);
    this.#writeFields(document);
    if (this.#languages && !this.#languages.has(row.language)) row.language = '';
    columns.add(row);
  }

  #isSelected(): boolean {
    if (this.#circle && !(distanceMeters(this.#circle, this.#place) <= this.#circle.rangeMeters)) return false;
    return !this.#predicate || this.#predicate.matches(this.#compared);
  }

  /** False for a deleted device. */
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
          this.#take(fieldTags.lang.number, b, p, type, 0);
          break;
        case Name.alerts:
          if (b[p] === 0) row.flags |= NOT_DISPLAYABLE;
          this.#take(fieldTags.alerts.number, b, p, type, 0);
          break;
        case Name.hwidHash:
          row.check =
            (SIXTETS[b[p + 4]!]! << 18) |
            (SIXTETS[b[p + 5]!]! << 12) |
            (SIXTETS[b[p + 6]!]! << 6) |
            SIXTETS[b[p + 7]!]!;
          break;
        case Name.tags:
          this.#readTags(b, p);
          break;
        case Name.self:
          this.#readSelfReported(b, p);
          break;
        case Name.activities:
          if (this.#activitySlot >= 0) this.#readActivities(b, p);
          break;
        default:
          if ((name & SHORT) === Short.cg) row.controlBucket = b.readInt32LE(p);
          else if ((name & SHORT) === Short.tz) this.#take(fieldTags.tz.number, b, p, type, 0);
          else this.#placeField(name, p);
      }
      p += sizeOf(b, p, type);
    }
    return present;
  }

  /** A token from an earlier version may exceed a slice's limit: it is omitted, so that it affects no other device. */
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
      else if (name === Name.open) this.#take(fieldTags.open.number, b, p, type, 0);
      else if (name === Name.place) this.#readPlace(b, p);
      p += sizeOf(b, p, type);
    }
  }

  /** The location `{lat, lng, at}`. */
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

  /** The entries `{k, id, token}` of the list of live activities. */
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

  /** The place of the token in an entry of the wanted live activity, or 0. */
  #tokenIn(b: Buffer, start: number): number {
    const end = start + b.readInt32LE(start) - 1;
    let isWanted = false;
    let token = 0;
    let p = start + 4;
    while (p < end) {
      const type = b[p++]!;
      const letter = b[p]!;
      while (b[p] !== 0) p++;
      p++;
      if (letter === LETTER_K) isWanted = b.subarray(p + 4, p + 3 + b.readInt32LE(p)).equals(this.#activity);
      else if (letter === LETTER_T) token = p;
      p += sizeOf(b, p, type);
    }
    return isWanted ? token : 0;
  }

  /** The entries `{k, v, s?}` of the list of tags. */
  #readTags(b: Buffer, start: number): void {
    const end = start + b.readInt32LE(start) - 1;
    let p = start + 4;
    while (p < end) {
      p++;
      while (b[p] !== 0) p++;
      p++;
      this.#readEntry(b, p);
      p += b.readInt32LE(p);
    }
  }

  #readEntry(b: Buffer, start: number): void {
    const end = start + b.readInt32LE(start) - 1;
    let number = -1;
    let type = 0;
    let at = 0;
    let whole = 0;
    let p = start + 4;
    while (p < end) {
      const fieldType = b[p]!;
      const letter = b[p + 1]!;
      p += 3;
      if (letter === 0x6b) number = numberAt(b, p, fieldType);
      else if (letter === 0x76) {
        type = fieldType;
        at = p;
      } else if (letter === 0x73) whole = p;
      p += sizeOf(b, p, fieldType);
    }
    this.#take(number, b, at, type, whole);
  }

  /** Records a value for the predicate and for the columns. `whole` is the place of the whole text if `at` has only a part or a key, or 0. */
  #take(number: number, b: Buffer, at: number, type: number, whole: number): void {
    if (type === Type.Null || type === 0) return;
    const compared = this.#comparedSlots.get(number);
    if (compared) {
      const from = compared.type === TagType.TAG_TYPE_VERSION || whole === 0 ? at : whole;
      const value = valueAt(b, from, type);
      const isNumber = compared.type === TagType.TAG_TYPE_INTEGER && typeof value === 'number';
      this.#compared[compared.slot]!.push(isNumber ? exactInteger(value) : value);
    }
    const value = this.#valueSlots.get(number);
    if (!value) return;
    if (type === Type.String) this.#ranges[value.slot]!.push(whole === 0 ? at : whole);
    else this.#texts[value.slot] = textOf(value.type, valueAt(b, at, type));
  }

  /** All values of the device, or none if they are too large together: a text with only some of them would have another meaning. */
  #writeValues(b: Buffer): void {
    const { values, count } = this.#columns;
    for (let slot = 0; slot < values.width; slot++) this.#writeValue(b, slot);
    if (values.length - values.startOf(count) <= VALUES_BYTES - VALUE_END_BYTES * values.width) return;
    values.truncate(count);
    values.addEmpty(count);
    this.#row.flags |= LONG_VALUES;
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

  #writeValue(b: Buffer, slot: number): void {
    const { values: texts, count } = this.#columns;
    const values = texts.bytes;
    const end = values.length + VALUE_BYTES;
    if (this.#texts[slot] !== '') values.appendText(this.#texts[slot]!);
    let first = true;
    for (const at of this.#ranges[slot]!) {
      if (!first) values.append(SEPARATOR, 0, SEPARATOR.length);
      values.append(b, at + 4, at + 3 + b.readInt32LE(at));
      first = false;
      if (values.length > end) break;
    }
    if (values.length > end) values.cutText(end);
    texts.end(count, slot);
  }
}

/** Sizes of the fixed-size types; -1 for the others. */
const SIZES = new Int8Array(256).fill(-1);
SIZES[Type.Double] = SIZES[Type.Date] = SIZES[Type.Timestamp] = SIZES[Type.Int64] = 8;
SIZES[Type.Int32] = 4;
SIZES[Type.Boolean] = 1;
SIZES[Type.Null] = 0;
SIZES[Type.ObjectId] = 12;

function sizeOf(b: Buffer, p: number, type: number): number {
  const size = SIZES[type]!;
  if (size >= 0) return size;
  switch (type) {
    case Type.String:
      return 4 + b.readInt32LE(p);
    case Type.Document:
    case Type.Array:
      return b.readInt32LE(p);
    case Type.Binary:
      return 5 + b.readInt32LE(p);
    default:
      throw new Error(`a device has a field of BSON type ${type}`);
  }
}

function numberAt(b: Buffer, p: number, type: number): number {
  if (type === Type.Int32) return b.readInt32LE(p);
  if (type === Type.Double) return b.readDoubleLE(p);
  return type === Type.Int64 || type === Type.Date ? Number(b.readBigInt64LE(p)) : 0;
}

function valueAt(b: Buffer, p: number, type: number): Comparable {
  if (type === Type.String) return b.toString('utf8', p + 4, p + 3 + b.readInt32LE(p));
  if (type === Type.Boolean) return b[p] === 1;
  return type === Type.Int64 ? exactInteger(b.readBigInt64LE(p)) : numberAt(b, p, type);
}

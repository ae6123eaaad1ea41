import { formatDate, plainText, type TagDefinition } from '@tidings/audience';
import { TagType } from '@tidings/events';
import { exactInteger } from '@tidings/kernel';
import type { Comparable, Predicate } from '@tidings/segments';
import { numberAt, sizeOf, Type, valueAt } from './bson.ts';
import type { Columns } from './columns.ts';
import type { Texts } from './texts.ts';

function textOf(type: TagType, value: Comparable): string {
  if (type === TagType.TAG_TYPE_DATE) return formatDate(Number(value));
  return typeof value === 'boolean' ? String(value) : (plainText(value) ?? '');
}

/** No push holds as much (R-I23). */
const VALUE_BYTES = 6144;

/** A slice of such devices fits into a record beside 2 MiB of content. */
const VALUES_BYTES = 8192;
const VALUE_END_BYTES = 4;

const SEPARATOR = Buffer.from(', ');

interface Slot {
  readonly slot: number;
  readonly type: TagType;
}

export class DeviceValues {
  readonly compared: readonly Comparable[][];
  readonly #ranges: readonly number[][];
  readonly #texts: string[];
  readonly #comparedSlots: ReadonlyMap<number, Slot>;
  readonly #valueSlots: ReadonlyMap<number, Slot>;

  constructor(predicate: Predicate | undefined, values: readonly (TagDefinition | undefined)[]) {
    const tags = predicate?.tags ?? [];
    this.compared = tags.map(() => []);
    this.#comparedSlots = new Map(tags.map(({ tag, type }, slot) => [tag, { slot, type }]));
    this.#ranges = values.map(() => []);
    this.#texts = values.map(() => '');
    this.#valueSlots = new Map(values.flatMap((tag, slot) => (tag ? [[tag.number, { slot, type: tag.type }]] : [])));
  }

  comparedOf(tag: number): Comparable[] | undefined {
    const compared = this.#comparedSlots.get(tag);
    return compared && this.compared[compared.slot];
  }

  clear(): void {
    for (const values of this.compared) values.length = 0;
    for (const ranges of this.#ranges) ranges.length = 0;
    this.#texts.fill('');
  }

  readTags(b: Buffer, start: number): void {
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
    this.take(number, b, at, type, whole);
  }

  /** @param whole place of the whole text if `at` has a part, else 0 */
  take(number: number, b: Buffer, at: number, type: number, whole: number): void {
    if (type === Type.Null || type === 0) return;
    const compared = this.#comparedSlots.get(number);
    if (compared) {
      const from = compared.type === TagType.TAG_TYPE_VERSION || whole === 0 ? at : whole;
      const value = valueAt(b, from, type);
      const isNumber = compared.type === TagType.TAG_TYPE_INTEGER && typeof value === 'number';
      this.compared[compared.slot]!.push(isNumber ? exactInteger(value) : value);
    }
    const value = this.#valueSlots.get(number);
    if (!value) return;
    if (type === Type.String) this.#ranges[value.slot]!.push(whole === 0 ? at : whole);
    else this.#texts[value.slot] = textOf(value.type, valueAt(b, at, type));
  }

  /** All or none: some values would have another meaning. */
  write(b: Buffer, { values, count }: Columns): boolean {
    for (let slot = 0; slot < values.width; slot++) this.#writeOne(b, slot, values, count);
    if (values.length - values.startOf(count) <= VALUES_BYTES - VALUE_END_BYTES * values.width) return true;
    values.truncate(count);
    values.addEmpty(count);
    return false;
  }

  #writeOne(b: Buffer, slot: number, texts: Texts, count: number): void {
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

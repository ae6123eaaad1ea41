import { TagType } from '@tidings/events';
import { exactInteger } from '@tidings/kernel';
import { MINUTE_MS } from './date.ts';
import { dateValue, numberValue, type Value } from './value.ts';
import { versionKey } from './version.ts';

/** A list has an entry per item. Entries of a tag are adjacent, tags are ordered by number. */
export interface TagEntry {
  readonly k: number;
  /**
   * The compared form. Integer: `exactInteger`, of earlier versions a double · Date: milliseconds, whole minutes · text: cut to 64 code points ·
   * Version: its `versionKey`, never cut.
   */
  readonly v: string | number | bigint | boolean;
  /** The original, if `v` differs. */
  readonly s?: string;
}

const INDEXED_LENGTH = 64;

/** The first 64 code points, the longest text of an index query. */
export function indexedText(text: string): string {
  if (text.length <= INDEXED_LENGTH) return text;
  let end = 0;
  for (let count = 0; count < INDEXED_LENGTH && end < text.length; count++)
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return end < text.length ? text.slice(0, end) : text;
}

function textEntry(k: number, text: string): TagEntry {
  const v = indexedText(text);
  return v === text ? { k, v } : { k, v, s: text };
}

export function entriesOf(k: number, value: Value): readonly TagEntry[] {
  switch (value.$case) {
    case 'number':
    case 'integer':
    case 'flag':
      return [{ k, v: value.value }];
    case 'minutes':
    case 'farMinutes':
      return [{ k, v: Number(value.value) * MINUTE_MS }];
    case 'text':
      return [textEntry(k, value.value)];
    case 'list':
      return value.value.items.map((item) => textEntry(k, item));
    case 'version':
      return [{ k, v: versionKey(value.value), s: value.value }];
  }
}

export const textOf = (entry: TagEntry): string => entry.s ?? String(entry.v);

/** Earlier versions stored the nearest double. */
export function integerIn([first]: readonly TagEntry[]): number | bigint {
  const v = first?.v ?? 0;
  return exactInteger(typeof v === 'bigint' ? v : Number(v));
}

export function valueOf(type: TagType, entries: readonly TagEntry[]): Value | undefined {
  const first = entries[0];
  if (!first) return undefined;
  switch (type) {
    case TagType.TAG_TYPE_INTEGER:
      return numberValue(integerIn(entries));
    case TagType.TAG_TYPE_DECIMAL:
      return { $case: 'number', value: Number(first.v) };
    case TagType.TAG_TYPE_BOOLEAN:
      return { $case: 'flag', value: first.v === true };
    case TagType.TAG_TYPE_DATE:
      return dateValue(Number(first.v));
    case TagType.TAG_TYPE_LIST:
      return { $case: 'list', value: { items: entries.map(textOf) } };
    case TagType.TAG_TYPE_VERSION:
      return { $case: 'version', value: textOf(first) };
    case TagType.TAG_TYPE_STRING:
    case TagType.TAG_TYPE_UNSPECIFIED:
      return { $case: 'text', value: textOf(first) };
  }
}

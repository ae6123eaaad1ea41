import { TagType } from '@tidings/events';
import type { TagValue } from '@tidings/events/generated/tidings/events/v1/devices';
import { exactInteger, parseDate } from '@tidings/kernel';
import { formatDate, MINUTE_MS } from './date.ts';
import { isVersion } from './version.ts';

export type Value = NonNullable<TagValue['value']>;

export const LIST_ITEMS = 1000;
const ITEM_LENGTH = 255;
const TEXT_LENGTH = 1024;

export function isWithin(text: string, limit: number): boolean {
  if (text.length <= limit) return true;
  if (text.length > limit * 2) return false;
  let count = 0;
  for (const _ of text) if (++count > limit) return false;
  return true;
}

const nouns: Readonly<Record<number, string>> = {
  [TagType.TAG_TYPE_INTEGER]: 'integer',
  [TagType.TAG_TYPE_STRING]: 'string',
  [TagType.TAG_TYPE_LIST]: 'list',
  [TagType.TAG_TYPE_DATE]: 'date',
  [TagType.TAG_TYPE_BOOLEAN]: 'boolean',
  [TagType.TAG_TYPE_DECIMAL]: 'decimal',
  [TagType.TAG_TYPE_VERSION]: 'version',
};

export const wrongValue = (type: TagType): string => `wrong value: ${nouns[type] ?? 'value'} expected`;

function parseNumber(input: unknown): number | undefined {
  if (typeof input === 'number') return Number.isFinite(input) ? input : undefined;
  if (typeof input !== 'string' || !/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(input)) return undefined;
  const value = Number(input);
  return Number.isFinite(value) ? value : undefined;
}

/** -2^63 to 2^63 - 1 (R-RES8). */
export const isTagInteger = (value: number | bigint): boolean =>
  typeof value === 'number' ? Number.isSafeInteger(value) : BigInt.asIntN(64, value) === value;

function smallText(text: string): string {
  const [, sign, whole, fraction = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(text)!;
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${whole}${fraction}`;
}

/** Numbers in plain decimals (R-RES8, R-I17). */
export function plainText(input: unknown): string | undefined {
  if (typeof input === 'string') return input;
  if (typeof input === 'bigint') return input.toString();
  if (typeof input !== 'number' || !Number.isFinite(input)) return undefined;
  if (Number.isInteger(input)) return BigInt(input).toString();
  const text = String(input);
  return text.includes('e') ? smallText(text) : text;
}

const limitedText = (input: unknown, limit: number): string | undefined => {
  const text = plainText(input);
  return text !== undefined && isWithin(text, limit) ? text : undefined;
};

export function parseItems(input: unknown): string[] | undefined {
  const items = new Set<string>();
  for (const entry of Array.isArray(input) ? (input as unknown[]) : [input]) {
    const item = limitedText(entry, ITEM_LENGTH);
    if (item === undefined) return undefined;
    items.add(item);
  }
  return items.size <= LIST_ITEMS ? [...items] : undefined;
}

export function parseFlag(input: unknown): boolean | undefined {
  switch (input) {
    case true:
    case 1:
    case 'true':
    case '1':
      return true;
    case false:
    case 0:
    case 'false':
    case '0':
      return false;
    default:
      return undefined;
  }
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
/** A double may round longer decimal text. */
const ROUNDED = 15;
const LAST_INTEGER = 2 ** 63;

function zerosAtEnd(text: string): number {
  let end = text.length;
  while (text[end - 1] === '0') end--;
  return text.length - end;
}

function wholeOf(text: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  const written = `${whole}${fraction}`.replace(/^0+/, '');
  if (written === '') return 0n;
  const zeros = zerosAtEnd(written);
  const shift = Number(exponent) - fraction.length + zeros;
  if (shift < 0) return undefined;
  const value = BigInt(written.slice(0, written.length - zeros) + '0'.repeat(shift));
  return sign === '-' ? -value : value;
}

function integer(input: unknown): number | bigint | undefined {
  const value = parseNumber(input);
  if (value === undefined || Math.abs(value) > LAST_INTEGER) return undefined;
  const isRounded = typeof input === 'string' && input.length > ROUNDED;
  if (!isRounded && Number.isSafeInteger(value)) return value;
  if (!Number.isInteger(value)) return undefined;
  const exact = isRounded ? wholeOf(input) : BigInt(value);
  return exact !== undefined && isTagInteger(exact) ? exactInteger(exact) : undefined;
}

export function numberValue(value: number | bigint): Value {
  if (typeof value === 'bigint') return { $case: 'integer', value };
  return { $case: 'number', value: value === 0 ? 0 : value };
}

const number = (value: number | bigint | undefined): Value | undefined =>
  value === undefined ? undefined : numberValue(value);

const MAX_INT32 = 2 ** 31 - 1;

export function dateValue(ms: number): Value {
  const minutes = Math.floor(ms / MINUTE_MS);
  return minutes <= MAX_INT32 ? { $case: 'minutes', value: minutes } : { $case: 'farMinutes', value: BigInt(minutes) };
}

function parseDateValue(input: unknown): Value | undefined {
  const date = parseDate(input);
  return date && dateValue(date.ms);
}

/** Undefined if invalid (R-RES8). */
export function parseValue(type: TagType, input: unknown): Value | undefined {
  switch (type) {
    case TagType.TAG_TYPE_INTEGER:
      return number(integer(input));
    case TagType.TAG_TYPE_DECIMAL:
      return number(parseNumber(input));
    case TagType.TAG_TYPE_STRING: {
      const text = limitedText(input, TEXT_LENGTH);
      return text === undefined ? undefined : { $case: 'text', value: text };
    }
    case TagType.TAG_TYPE_LIST: {
      const items = parseItems(input);
      return items && { $case: 'list', value: { items } };
    }
    case TagType.TAG_TYPE_DATE:
      return parseDateValue(input);
    case TagType.TAG_TYPE_BOOLEAN: {
      const flag = parseFlag(input);
      return flag === undefined ? undefined : { $case: 'flag', value: flag };
    }
    case TagType.TAG_TYPE_VERSION: {
      const text = plainText(input);
      return text !== undefined && isVersion(text) ? { $case: 'version', value: text } : undefined;
    }
    case TagType.TAG_TYPE_UNSPECIFIED:
      return undefined;
  }
}

export type TagOutput = string | number | bigint | boolean | readonly string[];

export function outputOf(value: Value): TagOutput {
  switch (value.$case) {
    case 'list':
      return value.value.items;
    case 'minutes':
    case 'farMinutes':
      return formatDate(Number(value.value) * MINUTE_MS);
    default:
      return value.value;
  }
}

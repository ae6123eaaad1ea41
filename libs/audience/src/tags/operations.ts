import { TagType } from '@tidings/events';
import { exactInteger } from '@tidings/kernel';
import { defaultTags, type TagDefinition } from '../default-tags.ts';
import { type TagEntry, textOf, valueOf, entriesOf, integerIn } from './entries.ts';
import { isTimezone, parseLanguage } from './languages.ts';
import { isTagInteger, LIST_ITEMS, numberValue, parseItems, parseValue, type Value, wrongValue } from './value.ts';

export type TagWrite = { readonly tag: TagDefinition } & (
  | { readonly operation: 'set'; readonly value: Value }
  | { readonly operation: 'unset' }
  | { readonly operation: 'increment'; readonly by: number | bigint }
  | { readonly operation: 'append'; readonly items: readonly string[] }
  | { readonly operation: 'remove'; readonly values: readonly TagEntry[] }
);

export const INVALID_VALUE = Symbol('invalid');

export type ListOperator = 'set' | 'append' | 'remove';

const typeNames: Readonly<Record<number, string>> = {
  [TagType.TAG_TYPE_INTEGER]: 'Integer',
  [TagType.TAG_TYPE_STRING]: 'String',
  [TagType.TAG_TYPE_LIST]: 'List',
  [TagType.TAG_TYPE_DATE]: 'Date',
  [TagType.TAG_TYPE_BOOLEAN]: 'Boolean',
  [TagType.TAG_TYPE_DECIMAL]: 'Decimal',
  [TagType.TAG_TYPE_VERSION]: 'Version',
};

export const isTagType = (type: number): type is TagType => type in typeNames;

export const typeName = (type: TagType): string => typeNames[type] ?? 'unknown';

function fit(tag: TagDefinition, value: Value): Value | typeof INVALID_VALUE {
  if (tag.number === defaultTags.language.number && value.$case === 'text') {
    const language = parseLanguage(value.value);
    return language === undefined ? INVALID_VALUE : { $case: 'text', value: language };
  }
  if (tag.number === defaultTags.timezone.number)
    return value.$case === 'number' && isTimezone(value.value) ? value : INVALID_VALUE;
  if (tag.number === defaultTags.country.number && value.$case === 'text' && /^[a-z]{2}$/i.test(value.value)) {
    return { $case: 'text', value: value.value.toUpperCase() };
  }
  return value;
}

function parseSet(tag: TagDefinition, input: unknown): TagWrite | string {
  const parsed = parseValue(tag.type, input);
  const value = parsed && fit(tag, parsed);
  return value === undefined || value === INVALID_VALUE ? wrongValue(tag.type) : { tag, operation: 'set', value };
}

function parseIncrement(tag: TagDefinition, input: unknown): TagWrite | string {
  const by = parseValue(tag.type, input);
  return by?.$case === 'number' || by?.$case === 'integer'
    ? { tag, operation: 'increment', by: by.value }
    : wrongValue(tag.type);
}

function parseAppend(tag: TagDefinition, input: unknown): TagWrite | string {
  const items = parseItems(input);
  return items ? { tag, operation: 'append', items } : wrongValue(tag.type);
}

function parseRemove(tag: TagDefinition, input: unknown): TagWrite | string {
  const inputs = new Set<unknown>(Array.isArray(input) ? input : [input]);
  if (inputs.size > LIST_ITEMS) return wrongValue(tag.type);
  const parsed = [...inputs].map((each) => parseValue(tag.type, each));
  if (parsed.includes(undefined)) return wrongValue(tag.type);
  const values = parsed.flatMap((value) => {
    const stored = fit(tag, value!);
    // Removing what is absent is a success (R-C5).
    return stored === INVALID_VALUE ? [] : entriesOf(tag.number, stored);
  });
  return { tag, operation: 'remove', values };
}

const isNumeric = (type: TagType): boolean => type === TagType.TAG_TYPE_INTEGER || type === TagType.TAG_TYPE_DECIMAL;

function parseOperation(tag: TagDefinition, operation: unknown, value: unknown): TagWrite | string {
  const refused = (name: string): string => `operation ${name} is not valid for ${typeName(tag.type)} tag`;
  switch (operation) {
    case 'increment':
      return isNumeric(tag.type) ? parseIncrement(tag, value) : refused(operation);
    case 'append':
      return tag.type === TagType.TAG_TYPE_LIST ? parseAppend(tag, value) : refused(operation);
    case 'remove':
      return parseRemove(tag, value);
    default:
      return 'unknown operation';
  }
}

/** null unsets, `{operation, value}` operates, anything else is a value. A text is the refusal (R-RES10). */
export function parseTagWrite(
  tag: TagDefinition,
  input: unknown,
  listOperator: ListOperator = 'set',
): TagWrite | string {
  if (input === null || input === undefined) return { tag, operation: 'unset' };
  if (typeof input === 'object' && !Array.isArray(input)) {
    const { operation, value } = input as { operation?: unknown; value?: unknown };
    return operation === undefined ? wrongValue(tag.type) : parseOperation(tag, operation, value);
  }
  if (listOperator !== 'set' && tag.type === TagType.TAG_TYPE_LIST) return parseOperation(tag, listOperator, input);
  return parseSet(tag, input);
}

const sameEntry = (a: TagEntry, b: TagEntry): boolean => a.v === b.v && a.s === b.s;

export const sameEntries = (a: readonly TagEntry[], b: readonly TagEntry[]): boolean =>
  a.length === b.length && a.every((entry, i) => sameEntry(entry, b[i]!));

function exactSum(a: number | bigint, b: number | bigint): number | bigint {
  const sum = typeof a === 'number' && typeof b === 'number' ? a + b : undefined;
  return Number.isSafeInteger(sum) ? sum! : exactInteger(BigInt(a) + BigInt(b));
}

function increment(
  tag: TagDefinition,
  current: readonly TagEntry[],
  by: number | bigint,
): Value | typeof INVALID_VALUE {
  if (tag.type === TagType.TAG_TYPE_INTEGER) {
    const sum = exactSum(integerIn(current), by);
    return isTagInteger(sum) ? numberValue(sum) : INVALID_VALUE;
  }
  const sum = Number(current[0]?.v ?? 0) + Number(by);
  return Number.isFinite(sum) ? numberValue(sum) : INVALID_VALUE;
}

function append(
  tag: TagDefinition,
  current: readonly TagEntry[],
  items: readonly string[],
): Value | typeof INVALID_VALUE {
  return parseValue(tag.type, [...current.map(textOf), ...items]) ?? INVALID_VALUE;
}

function without(values: readonly TagEntry[], current: readonly TagEntry[], type: TagType): readonly TagEntry[] {
  const identity = (entry: TagEntry) => {
    if (type === TagType.TAG_TYPE_INTEGER) return integerIn([entry]);
    return type === TagType.TAG_TYPE_VERSION ? entry.v : (entry.s ?? entry.v);
  };
  const removed = new Set(values.map(identity));
  return current.filter((entry) => !removed.has(identity(entry)));
}

export function applyWrite(write: TagWrite, current: readonly TagEntry[]): Value | undefined | typeof INVALID_VALUE {
  const { tag } = write;
  switch (write.operation) {
    case 'set':
      return write.value;
    case 'unset':
      return undefined;
    case 'increment': {
      const value = increment(tag, current, write.by);
      return value === INVALID_VALUE ? INVALID_VALUE : fit(tag, value);
    }
    case 'append':
      return append(tag, current, write.items);
    case 'remove':
      return valueOf(tag.type, without(write.values, current, tag.type));
  }
}

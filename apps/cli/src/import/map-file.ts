import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { Failure } from '../session.ts';
import { given, isTrue, languageOf, listOf, platformOf, timezoneOf } from './fields.ts';
import type { Device, Subscriber } from './outcome.ts';
import { normalized, type Row, textIn } from './row.ts';
import { type TagTypeName, tagTypeNames } from './tag-types.ts';

export const fieldNames = [
  ...(['hwid', 'push_token', 'platform', 'user_id', 'language', 'timezone', 'email', 'app_version'] as const),
  ...(['device_model', 'os_version', 'country', 'city', 'idfa', 'public_key', 'auth_token', 'fcm_token'] as const),
  'fcm_push_set' as const,
];
/** Fields of a row about its subscription, beside those of a device. */
export const stateNames = ['unsubscribed', 'invalid'] as const;

export type FieldName = (typeof fieldNames)[number] | (typeof stateNames)[number];

const constant = z.union([z.string(), z.number(), z.boolean()]);
const column = z.strictObject({ column: z.string(), values: z.record(z.string(), constant).optional() });
const source = z.union([column, z.strictObject({ value: constant }), z.strictObject({ template: z.string() })]);
const tagFields = {
  type: z.enum(tagTypeNames as [TagTypeName, ...TagTypeName[]]).optional(),
  separator: z.string().min(1).optional(),
};
const tagSource = z.union([
  column.extend(tagFields),
  z.strictObject({ value: constant, ...tagFields }),
  z.strictObject({ template: z.string(), ...tagFields }),
]);
const names = [...fieldNames, ...stateNames];
const mapSchema = z.strictObject({
  ...(Object.fromEntries(names.map((name) => [name, source.optional()])) as Record<
    FieldName,
    z.ZodOptional<typeof source>
  >),
  tags: z.record(z.string().min(1).max(255), tagSource).optional(),
});

type Source = z.output<typeof source>;
type TagSource = z.output<typeof tagSource>;
export type FieldMap = z.output<typeof mapSchema>;

export function parseMap(path: string, text: string): FieldMap {
  let content: unknown;
  try {
    content = parse(text) ?? {};
  } catch (error) {
    throw new Failure(`${path}: ${(error as Error).message.split('\n')[0]}`);
  }
  const result = mapSchema.safeParse(content);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const unknown = issue.code === 'unrecognized_keys' ? `unknown: ${issue.keys.join(', ')}` : undefined;
  const place = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new Failure(`${path}: ${place}${unknown ?? 'must be {column}, {value} or {template}'}`);
}

export const readMap = async (path: string): Promise<FieldMap> => parseMap(path, await readFile(path, 'utf8'));

const PLACEHOLDER = /\{([^{}]*)\}/g;

const placeholdersOf = (template: string): string[] => [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);

const columnsOf = (from: Source): string[] => {
  if ('column' in from) return [from.column];
  return 'template' in from ? placeholdersOf(from.template) : [];
};

/** Columns that a map names. */
export function columnsIn(map: FieldMap): string[] {
  const { tags = {}, ...fields } = map;
  return [...Object.values(fields), ...Object.values(tags)].flatMap((from) => (from ? columnsOf(from) : []));
}

/** '' if the row lacks a value that is needed. */
function textFrom(from: Source, row: Row): string {
  if ('value' in from) return String(from.value);
  if ('column' in from) {
    const text = textIn(row, from.column);
    return from.values ? String(from.values[text] ?? '') : text;
  }
  const isWhole = placeholdersOf(from.template).every((name) => textIn(row, name) !== '');
  return isWhole ? from.template.replaceAll(PLACEHOLDER, (_, name: string) => textIn(row, name)) : '';
}

const convert = (name: FieldName, text: string): unknown => {
  if (name === 'platform') return platformOf(text);
  if (name === 'timezone') return timezoneOf(text);
  return name === 'language' ? languageOf(text) : given(text);
};

const FALSE = new Set(['f', 'false', 'n', 'no', '0']);

function booleanIn(text: string): unknown {
  if (isTrue(text)) return true;
  return FALSE.has(text.toLowerCase()) ? false : text;
}

function tagFrom({ type, separator = ',', ...from }: TagSource, row: Row): unknown {
  const text = textFrom(from, row);
  if (text === '') return undefined;
  if (type === 'list') return listOf(text, separator);
  return type === 'boolean' ? booleanIn(text) : text;
}

export function tagsFrom({ tags = {} }: FieldMap, row: Row): Record<string, unknown> {
  const values = Object.entries(tags).map(([name, from]) => [name, tagFrom(from, row)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Fields for which the row has a valid value. */
export function fieldsFrom(map: FieldMap, row: Row): Partial<Device> {
  const values = fieldNames.flatMap((name): [string, unknown][] => {
    const from = map[name];
    const value = from && convert(name, textFrom(from, row));
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(values);
}

export const stateFrom = (map: FieldMap, row: Row): Pick<Subscriber, 'isUnsubscribed' | 'isInvalid'> => ({
  ...(map.unsubscribed && { isUnsubscribed: isTrue(textFrom(map.unsubscribed, row)) }),
  ...(map.invalid && { isInvalid: isTrue(textFrom(map.invalid, row)) }),
});

/** Types that the map gives its tags. */
export const typesIn = ({ tags = {} }: FieldMap): Map<string, TagTypeName> =>
  new Map(Object.entries(tags).flatMap(([name, { type }]) => (type ? [[name, type] as const] : [])));

export const mapKeys = (map: FieldMap): ReadonlySet<string> => new Set(columnsIn(map).map(normalized));

import { isObject } from '@tidings/contract';

/** In lower case, without white space and underscores: exports of one vendor differ in these. */
export const normalized = (name: string): string => name.toLowerCase().replaceAll(/[\s_]+/g, '');

/** A file of failed rows has this column. */
export const REASON = 'reason';

export interface Column {
  readonly name: string;
  readonly key: string;
}

export interface Row {
  /** In the file, from 1. */
  readonly line: number;
  /** Texts of a CSV, values of a JSON line; in the order of `columns`. */
  readonly values: readonly unknown[];
  readonly columns: Columns;
  /** Why the row cannot be read. */
  readonly fault?: string | undefined;
}

export interface Columns {
  readonly list: readonly Column[];
  /** @param key normalized */
  indexOf(key: string): number;
}

export function columnsOf(names: readonly string[]): Columns {
  const list = names.map((name) => ({ name, key: normalized(name) }));
  const indexes = new Map<string, number>();
  for (const [index, { key }] of list.entries()) if (!indexes.has(key)) indexes.set(key, index);
  return { list, indexOf: (key) => indexes.get(key) ?? -1 };
}

const keys = new Map<string, string>();

function keyOf(name: string): string {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = normalized(name);
  keys.set(name, key);
  return key;
}

export const hasColumn = ({ columns }: Pick<Row, 'columns'>, name: string): boolean =>
  columns.indexOf(keyOf(name)) >= 0;

export const valueIn = (row: Row, name: string): unknown => row.values[row.columns.indexOf(keyOf(name))];

export const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value);
};

/** '' if the row has no such value. */
export const textIn = (row: Row, name: string): string => textOf(valueIn(row, name)).trim();

/** Members of objects become columns with dotted names; lists stay values. */
export function flattened(value: Readonly<Record<string, unknown>>, prefix = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([name, member]): [string, unknown][] =>
    isObject(member) ? flattened(member, `${prefix}${name}.`) : [[`${prefix}${name}`, member]],
  );
}

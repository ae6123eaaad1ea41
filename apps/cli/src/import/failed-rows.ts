import { open } from 'node:fs/promises';
import { REASON, type Row, textOf } from './row.ts';

export interface FailedRow {
  readonly row: Row;
  readonly reason: string;
}

/** Repeats rows that were not imported as they were, with the reason, as a file that can be imported. */
export interface FailedRows {
  readonly path: string;
  /** Resolves with the size of the file. */
  append(rows: readonly FailedRow[]): Promise<number>;
  close(): Promise<void>;
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const lineOf = (values: readonly string[]): string => `${values.map(quoted).join(',')}\r\n`;

function valuesByColumn(row: Row, columns: readonly string[]): string[] {
  const { list } = row.columns;
  const isHeading = list.length === columns.length && list.every(({ name }, i) => name === columns[i]);
  if (isHeading) return columns.map((_, i) => textOf(row.values[i]));
  const values = new Map(list.map(({ name }, i) => [name, textOf(row.values[i])]));
  return columns.map((name) => values.get(name) ?? '');
}

/** @param size of what earlier runs have written; what follows is of an interrupted one */
export async function openFailedRows(path: string, columns: readonly string[], size: number): Promise<FailedRows> {
  const file = await open(path, size === 0 ? 'w' : 'r+');
  await file.truncate(size);
  const own = columns.filter((name) => name !== REASON);
  let length = size;
  return {
    path,
    async append(rows) {
      if (rows.length === 0) return length;
      const heading = length === 0 ? lineOf([...own, REASON]) : '';
      const lines = rows.map(({ row, reason }) => lineOf([...valuesByColumn(row, own), reason]));
      const bytes = Buffer.from(heading + lines.join(''));
      await file.write(bytes, 0, bytes.length, length);
      length += bytes.length;
      return length;
    },
    close: () => file.close(),
  };
}

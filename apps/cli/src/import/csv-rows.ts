import { pipeline, type Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { Failure } from '../session.ts';
import type { Input, Limits } from './input-form.ts';
import { type Columns, columnsOf, type Row } from './row.ts';

interface Parsed {
  readonly info: { readonly lines: number };
  readonly record: string[];
}

const problems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed before the end of the file',
  CSV_INVALID_CLOSING_QUOTE: 'after a closing quote there is neither a delimiter nor the end of the line',
  INVALID_OPENING_QUOTE: 'a quote begins inside a value',
};

function headingOf({ path }: Input, names: readonly string[], limits: Limits): Columns {
  if (names.length > limits.columns)
    throw new Failure(`${path}, line 1: ${names.length} columns, but at most ${limits.columns} are read`);
  return columnsOf(names);
}

function failureOf({ path }: Input, error: CsvError, line: number, { lineBytes }: Limits): Failure {
  const reason =
    error.code === 'CSV_MAX_RECORD_SIZE'
      ? `the row has more than ${lineBytes} bytes; a quote may not be closed`
      : (problems[error.code] ?? error.message);
  return new Failure(`${path}, line ${line}: ${reason}`);
}

export async function* csvRows(input: Input, content: Readable, limits: Limits): AsyncGenerator<Row> {
  let line = 0;
  const parser = parse({
    bom: true,
    info: true,
    delimiter: input.delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: limits.lineBytes,
    // An error discards the records that are not read yet, so their lines are counted here.
    on_record: (record, { lines }) => {
      line = lines;
      return record;
    },
  });
  let columns: Columns | undefined;
  try {
    for await (const { info, record } of pipeline(content, parser, () => undefined) as AsyncIterable<Parsed>) {
      if (!columns) {
        columns = headingOf(input, record, limits);
        continue;
      }
      const { length } = columns.list;
      const fault = record.length === length ? undefined : `the row has ${record.length} values for ${length} columns`;
      yield { line: info.lines, values: record, columns, fault };
    }
  } catch (error) {
    throw error instanceof CsvError ? failureOf(input, error, line + 1, limits) : error;
  }
}

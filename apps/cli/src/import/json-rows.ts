import type { Readable } from 'node:stream';
import { isObject } from '@tidings/contract';
import { Failure } from '../session.ts';
import type { Input, Limits } from './input-form.ts';
import { columnsOf, type Columns, flattened, type Row } from './row.ts';

const NEW_LINE = 0x0a;

async function* linesOf({ path }: Input, content: Readable, { lineBytes }: Limits): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let size = 0;
  let line = 1;
  const add = (part: Buffer): void => {
    parts.push(part);
    size += part.length;
    if (size > lineBytes) throw new Failure(`${path}, line ${line}: the row has more than ${lineBytes} bytes`);
  };
  for await (const chunk of content as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, from)) {
      add(chunk.subarray(from, end));
      yield Buffer.concat(parts).toString('utf8');
      [parts, size, from] = [[], 0, end + 1];
      line++;
    }
    add(chunk.subarray(from));
  }
  yield Buffer.concat(parts).toString('utf8');
}

const NONE = columnsOf([]);
const NOT_AN_OBJECT = 'the line is no JSON object';

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Rows with the same members share their columns. */
function columnsByNames(): (names: readonly string[]) => Columns {
  let last: { readonly names: string; readonly columns: Columns } | undefined;
  return (names) => {
    const joined = names.join('\0');
    if (last?.names !== joined) last = { names: joined, columns: columnsOf(names) };
    return last.columns;
  };
}

export async function* jsonRows(input: Input, content: Readable, limits: Limits): AsyncGenerator<Row> {
  const columnsFor = columnsByNames();
  let line = 0;
  for await (const text of linesOf(input, content, limits)) {
    line++;
    const trimmed = text.replace(/^\ufeff/, '').trim();
    if (trimmed === '') continue;
    const object = objectIn(trimmed);
    if (!object) {
      yield { line, values: [], columns: NONE, fault: NOT_AN_OBJECT };
      continue;
    }
    const members = flattened(object);
    const isWide = members.length > limits.columns;
    yield {
      line,
      values: members.map(([, value]) => value),
      columns: columnsFor(members.map(([name]) => name)),
      fault: isWide ? `the row has ${members.length} values, but at most ${limits.columns} are read` : undefined,
    };
  }
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Limits, LIMITS } from './input-form.ts';
import { digestOf, openInput, rowsOf } from './input.ts';
import { textIn } from './row.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-import-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function fileOf(content: string | Buffer): Promise<string> {
  const path = join(folder, `file-${files++}`);
  await writeFile(path, content);
  return path;
}

async function read(content: string | Buffer, limits: Limits = LIMITS) {
  const rows = [];
  for await (const row of rowsOf(await openInput(await fileOf(content)), limits)) rows.push(row);
  return rows;
}

const refusalOf = (content: string | Buffer, limits?: Limits): Promise<string> =>
  read(content, limits).then(
    () => 'none',
    (error: Error) => `${error.name}: ${error.message.replace(/^\S+\/file-\d+/, 'FILE')}`,
  );

describe('a CSV file', () => {
  it.each([
    ['plain', 'Id,Push Token\n1,a\n2,b\n'],
    ['with a byte order mark and CR LF', '\ufeffId,Push Token\r\n1,a\r\n2,b\r\n'],
    ['with semicolons', 'Id;Push Token\n1;a\n2;b'],
    ['with empty lines', 'Id,Push Token\n1,a\n\n2,b\n\n'],
    ['with quotes', '"Id","Push Token"\n"1","a"\n2,"b"\n'],
  ])('is read %s, also packed', async (_, content) => {
    for (const each of [content, gzipSync(content)]) {
      const rows = await read(each);
      expect(rows.map((row) => [textIn(row, 'id'), textIn(row, 'push_token'), row.fault])).toEqual([
        ['1', 'a', undefined],
        ['2', 'b', undefined],
      ]);
    }
  });

  it('has a line number for each row', async () => {
    const rows = await read('a,b\n1,"two\nlines"\n3,4\n');
    expect(rows.map(({ line, values }) => [line, values])).toEqual([
      [3, ['1', 'two\nlines']],
      [4, ['3', '4']],
    ]);
  });

  it('fails rows with another number of values alone', async () => {
    const rows = await read('a,b\n1\n1,2,3\n1,2\n');
    expect(rows.map(({ fault }) => fault)).toEqual([
      'the row has 1 values for 2 columns',
      'the row has 3 values for 2 columns',
      undefined,
    ]);
  });

  it.each([
    ['', 'FILE is empty'],
    ['[{"a":1}]', 'FILE, line 1: a JSON list; JSON needs one object in each line'],
    ['a,b\n1,"2\n3,4\n', 'FILE, line 2: a quote is not closed before the end of the file'],
    ['a,b\n1,2\n3,"4"5\n', 'FILE, line 3: after a closing quote there is neither a delimiter nor the end of the line'],
    [gzipSync('a,b\n1,2\n'.repeat(1_000)).subarray(0, 40), 'FILE is no intact gzip file: unexpected end of file'],
    [Buffer.from([0x1f, 0x8b, 1, 2, 3]), 'FILE is no intact gzip file'],
  ])('is refused with its line: %j', async (content, reason) =>
    expect(await refusalOf(content)).toBe(`Failure: ${reason}`),
  );

  it('has limits', async () => {
    const limits = { lineBytes: 100, columns: 2 };
    expect(await refusalOf('a,b,c\n', limits)).toBe('Failure: FILE, line 1: 3 columns, but at most 2 are read');
    expect(await refusalOf(`a,b\n1,2\n3,${'x'.repeat(200)}\n`, limits)).toBe(
      'Failure: FILE, line 3: the row has more than 100 bytes; a quote may not be closed',
    );
  });
});

describe('a file of JSON lines', () => {
  it('is read with dotted names for members of objects, also packed', async () => {
    const content = '{"Id":1,"User":{"UserId":"u","Tags":["a","b"]}}\n\n{"Id":"2"}';
    for (const each of [content, gzipSync(content)]) {
      const rows = await read(each);
      expect(rows.map((row) => [row.line, textIn(row, 'id'), textIn(row, 'User.UserId')])).toEqual([
        [1, '1', 'u'],
        [3, '2', ''],
      ]);
      expect(rows[0]!.values).toEqual([1, 'u', ['a', 'b']]);
    }
  });

  it('may be several packed files, one after the other', async () => {
    const rows = await read(Buffer.concat(['{"a":1}\n', '{"a":2}\n{"a":3}\n'].map((each) => gzipSync(each))));
    expect(rows.map(({ line, values }) => [line, values])).toEqual([
      [1, [1]],
      [2, [2]],
      [3, [3]],
    ]);
  });

  it('fails lines that are no object alone', async () => {
    const rows = await read('{"a":1}\n{"a":\n5\n{"a":2}\n');
    expect(rows.map(({ line, fault }) => [line, fault])).toEqual([
      [1, undefined],
      [2, 'the line is no JSON object'],
      [3, 'the line is no JSON object'],
      [4, undefined],
    ]);
  });

  it('has limits', async () => {
    const limits = { lineBytes: 100, columns: 2 };
    const [wide] = await read('{"a":1,"b":2,"c":3}\n', limits);
    expect(wide!.fault).toBe('the row has 3 values, but at most 2 are read');
    expect(await refusalOf(`{"a":1}\n{"a":"${'x'.repeat(200)}"}\n`, limits)).toBe(
      'Failure: FILE, line 2: the row has more than 100 bytes',
    );
  });
});

it('a file is identified by its content', async () => {
  const [one, same, other] = await Promise.all(['a', 'a', 'b'].map(async (text) => digestOf(await fileOf(text))));
  expect([one === same, one === other]).toEqual([true, false]);
});

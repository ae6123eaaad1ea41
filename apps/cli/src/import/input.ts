import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { Failure } from '../session.ts';
import { csvRows } from './csv-rows.ts';
import { type Input, LIMITS } from './input-form.ts';
import { jsonRows } from './json-rows.ts';
import type { Row } from './row.ts';

const HEAD_BYTES = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** Spreadsheets of some countries write semicolons. */
function delimiterIn(text: string): string {
  const [heading = ''] = text.split(/\r?\n/, 1);
  const count = (delimiter: string): number => heading.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best));
}

/** Recognizes gzip, CSV and JSON lines by their content. */
export async function openInput(path: string): Promise<Input> {
  const head = await headOf(path);
  const isPacked = isGzip(head);
  const start = isPacked ? unpacked(path, head) : head;
  const text = start
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (text === '') throw new Failure(`${path} is empty`);
  if (text.startsWith('[')) throw new Failure(`${path}, line 1: a JSON list; JSON needs one object in each line`);
  const kind = text.startsWith('{') ? 'json' : 'csv';
  return { path, isPacked, kind, delimiter: delimiterIn(text) };
}

function unpacked(path: string, head: Buffer): Buffer {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    throw new Failure(`${path} is no intact gzip file`);
  }
}

function contentOf({ path, isPacked }: Input): Readable {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  return isPacked ? pipeline(file, createGunzip({ chunkSize: CHUNK_BYTES }), () => undefined) : file;
}

/** Streams the rows. @throws Failure with the line where the file cannot be read on */
export async function* rowsOf(input: Input, limits = LIMITS): AsyncGenerator<Row> {
  const content = contentOf(input);
  try {
    yield* input.kind === 'csv' ? csvRows(input, content, limits) : jsonRows(input, content, limits);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_'))
      throw new Failure(`${input.path} is no intact gzip file: ${(error as Error).message}`);
    throw error;
  } finally {
    content.destroy();
  }
}

/** Identifies the content of a file. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

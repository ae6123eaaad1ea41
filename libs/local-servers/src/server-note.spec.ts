import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readNote, writeNote } from './server-note.ts';

describe('the note of a server', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidings-note-'));
    file = join(folder, 'note.json');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is read as it was written, and replaced', async () => {
    await writeNote(file, { pid: 5, port: 27_017 });
    await writeNote(file, { pid: 6, port: 27_018 });
    expect(await readNote(file, ['pid', 'port'])).toEqual({ pid: 6, port: 27_018 });
    expect(await readdir(folder)).toEqual(['note.json']);
  });

  it.each([
    ...[
      '',
      '{"pid":5,"po',
      'nothing',
      'null',
      '5',
      '[]',
      '{}',
      '{"pid":5}',
      '{"pid":"5","port":1}',
      '{"pid":5,"port":-1}',
    ],
    ...['{"pid":5,"port":65536}', '{"pid":5,"port":null}', '{"pid":1.5,"port":1}', '{"pid":1e999,"port":1}'],
  ])('counts as missing if it is damaged: %s', async (text) => {
    await writeFile(file, text);
    expect(await readNote(file, ['pid', 'port'])).toBeUndefined();
  });

  it('counts as missing without a file, and leaves no draft after a failed write', async () => {
    expect(await readNote(file, ['pid'])).toBeUndefined();
    await mkdir(file);
    await expect(writeNote(file, { pid: 5 })).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['note.json']);
  });
});

import { mkdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { notWritten, createOnce, openDataFolder, syncFolder } from './data-folder.ts';

describe('the data folder', () => {
  let parent: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'tidings-folder-'));
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  it('is created, with its parents, readable by its owner only', async () => {
    const folder = await openDataFolder(join(parent, 'a', 'b'));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('names the wrong variable if it cannot be created', async () => {
    await writeFile(join(parent, 'file'), '');
    await expect(openDataFolder(join(parent, 'file', 'b'))).rejects.toThrow('TIDINGS_DATA');
  });

  it('creates a text once, even for processes that start together, and keeps it', async () => {
    const file = join(parent, 'text');
    let calls = 0;
    const texts = await Promise.all(Array.from({ length: 8 }, () => createOnce(file, () => String(calls++))));
    expect(new Set(texts.map(({ text }) => text)).size).toBe(1);
    expect(texts.filter((each) => each.isNew)).toHaveLength(1);
    expect(await createOnce(file, () => 'another')).toEqual({ text: texts[0]!.text, isNew: false });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(parent)).toEqual(['text']);
  });

  it('names the file that cannot be read or written, and the reason', async () => {
    await mkdir(join(parent, 'text'));
    await expect(createOnce(join(parent, 'text'), () => 'a')).rejects.toMatchObject({
      kind: 'unavailable',
      message: `${join(parent, 'text')} cannot be read: EISDIR`,
    });
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    expect(notWritten('/data/master-key', full).message).toBe('/data/master-key cannot be written: its volume is full');
  });

  it('leaves no draft of a text that cannot be written', async () => {
    const created = createOnce(join(parent, 'text'), () => {
      mkdirSync(join(parent, 'text'));
      return 'a';
    });
    await expect(created).rejects.toThrow();
    expect(await readdir(parent)).toEqual(['text']);
  });

  it.each([
    ['EIO', true],
    ['ENOSPC', true],
    ['EINVAL', false],
    ['EPERM', false],
  ])('fails if its disk fails, not if the system syncs no folders: %s', async (code, fails) => {
    const closed = jest.fn(async () => undefined);
    const error = Object.assign(new Error(code), { code });
    const synced = syncFolder(parent, async () => ({ sync: () => Promise.reject(error), close: closed }));
    await (fails ? expect(synced).rejects.toBe(error) : expect(synced).resolves.toBeUndefined());
    expect(closed).toHaveBeenCalledTimes(1);
  });
});

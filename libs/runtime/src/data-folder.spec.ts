import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { masterKeyOf, openDataFolder } from './data-folder.ts';

describe('the data folder', () => {
  let parent: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'tidings-folder-'));
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  it("is made, with its parents, for its owner's eyes only", async () => {
    const folder = await openDataFolder(join(parent, 'a', 'b'));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('says which variable is wrong when it cannot be', async () => {
    await writeFile(join(parent, 'file'), '');
    await expect(openDataFolder(join(parent, 'file', 'b'))).rejects.toThrow('TIDINGS_DATA');
  });

  it('makes one key, even for processes that start together, and keeps it', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => masterKeyOf(parent)));
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
    expect(keys[0]).toHaveLength(32);
    expect(Buffer.from(await masterKeyOf(parent))).toEqual(Buffer.from(keys[0]!));
    expect((await stat(join(parent, 'master-key'))).mode & 0o777).toBe(0o600);
    expect(await readdir(parent)).toEqual(['master-key']);
  });

  it('prefers the key that is given, and stores none then', async () => {
    const given = Buffer.alloc(32, 1);
    expect(await masterKeyOf(parent, given)).toBe(given);
    expect(await readdir(parent)).toEqual([]);
  });

  it('does not replace a damaged key', async () => {
    await writeFile(join(parent, 'master-key'), 'half');
    await expect(masterKeyOf(parent)).rejects.toThrow('holds no key');
    expect(await readFile(join(parent, 'master-key'), 'utf8')).toBe('half');
  });
});

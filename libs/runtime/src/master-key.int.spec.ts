import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Db, MongoClient } from 'mongodb';
import { checkMasterKey, masterKeyId, openMasterKey } from './master-key.ts';
import { type Mongod, mongoOptions, startMongod } from './mongod.ts';

describe('the master key', () => {
  let server: string;
  let mongod: Mongod;
  let client: MongoClient;
  let system: Db;
  let folder: string;
  let number = 0;
  const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

  beforeAll(async () => {
    server = await mkdtemp(join(tmpdir(), 'tidings-keys-'));
    mongod = await startMongod(server);
    client = await MongoClient.connect(mongod.url, mongoOptions);
  });
  afterAll(async () => {
    await client.close();
    await mongod.stop();
    await rm(server, { recursive: true, force: true });
  });
  beforeEach(async () => {
    system = client.db(`system_${number++}`);
    folder = await mkdtemp(join(tmpdir(), 'tidings-key-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is made once, even for processes that start together, and kept', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => openMasterKey({ folder, system })));
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
    expect(keys[0]).toHaveLength(32);
    expect(Buffer.from(await openMasterKey({ folder, system }))).toEqual(Buffer.from(keys[0]!));
    expect((await stat(join(folder, 'master-key'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['master-key']);
  });

  it('is the one that is given, and none is stored then', async () => {
    expect(await openMasterKey({ folder, given: one, system })).toBe(one);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is not replaced when it is damaged', async () => {
    await writeFile(join(folder, 'master-key'), 'half');
    await expect(openMasterKey({ folder, system })).rejects.toThrow('holds no key');
    expect(await readFile(join(folder, 'master-key'), 'utf8')).toBe('half');
  });

  it('is refused when the data was written with another one, by the ids of both', async () => {
    await openMasterKey({ folder, given: one, system });
    expect(masterKeyId(one)).toMatch(/^[0-9a-f]{12}$/);
    await expect(openMasterKey({ folder, given: two, system })).rejects.toMatchObject({
      kind: 'argument',
      message: `TIDINGS_MASTER_KEY: the data was written with the master key ${masterKeyId(one)}, and this is the key ${masterKeyId(two)}`,
    });
    const file = join(folder, 'master-key');
    await writeFile(file, two.toString('base64'));
    await expect(openMasterKey({ folder, system })).rejects.toThrow(
      `${file}: the data was written with the master key`,
    );
    await openMasterKey({ folder, given: one, system });
  });

  it('is asked for when it is gone, and none is made in its place', async () => {
    await openMasterKey({ folder, given: one, system });
    await expect(openMasterKey({ folder, system })).rejects.toThrow(
      `written with the master key ${masterKeyId(one)}, and no key is given: put ${join(folder, 'master-key')} back`,
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it('is one for all, however many first starts there are at once', async () => {
    const starts = Array.from({ length: 16 }, (_, i) => checkMasterKey(system, i % 2 ? one : two));
    const kinds = (await Promise.allSettled(starts)).map(({ status }, i) => `${i % 2} ${status}`);
    expect(new Set(kinds).size).toBe(2);
    expect(kinds.filter((kind) => kind.endsWith('fulfilled'))).toHaveLength(8);
  });
});

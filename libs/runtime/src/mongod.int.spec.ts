import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { type Mongod, mongoOptions, startMongod } from './mongod.ts';

describe('startMongod', () => {
  const started: Mongod[] = [];
  const start = async (folder: string): Promise<Mongod> => {
    const mongod = await startMongod(folder);
    started.push(mongod);
    return mongod;
  };
  afterEach(async () => {
    for (const mongod of started.splice(0)) await mongod.stop().catch(() => undefined);
  });

  it('takes writes, keeps data across a restart, and takes over a server that still runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    const first = await start(folder);
    const client = await MongoClient.connect(first.url, mongoOptions);
    await client.db('t').collection<{ _id: string }>('c').insertOne({ _id: 'kept' });

    const adopted = await startMongod(folder);
    expect(adopted.pid).toBe(first.pid);
    await client.close();
    await first.stop();

    const second = await start(folder);
    expect(second.pid).not.toBe(first.pid);
    const again = await MongoClient.connect(second.url, mongoOptions);
    expect(await again.db('t').collection('c').countDocuments()).toBe(1);
    await again.close();
    await second.stop();
    await rm(folder, { recursive: true, force: true });
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isAlive, killNow } from '@tidings/coordination';
import { mongoOptions } from '@tidings/mongo';
import { freePort } from '@tidings/runtime';
import { MongoClient } from 'mongodb';
import { untilListening } from './mongod-process.ts';
import { findMongod } from './mongod-program.ts';
import { type Mongod, startMongod } from './mongod.ts';

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

  it('accepts writes, keeps data across a restart, and adopts a running server', async () => {
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

  it('offers no compression', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    const { url } = await start(folder);
    const client = await MongoClient.connect(url, mongoOptions);
    const reply = await client.db('admin').command({ isMaster: 1, compression: ['snappy', 'zlib', 'zstd'] });
    expect(reply['compression'] ?? []).toEqual([]);
    await client.close();
  });

  it('has no data of commands in its log, for any duration', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    const mongod = await start(folder);
    const client = await MongoClient.connect(mongod.url, mongoOptions);
    const things = client.db('t').collection<{ _id: string }>('c');
    await things.insertOne({ _id: 'canary' });
    expect(await things.find({ _id: 'canary', $where: 'sleep(300) || true' }).toArray()).toHaveLength(1);
    await client.close();
    await mongod.stop();
    const files = (await readdir(folder)).filter((name) => name.endsWith('.log'));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(await readFile(join(folder, file), 'utf8')).not.toContain('canary');
    await rm(folder, { recursive: true, force: true });
  });

  it('is reached by a Unix socket in a folder of its owner', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    const { url } = await start(folder);
    expect(decodeURIComponent(new URL(url).host)).toContain(join(folder, 'socket', 'mongodb-'));
    expect((await stat(join(folder, 'socket'))).mode & 0o777).toBe(0o700);
  });

  it('is reached by TCP where the path of a socket would be too long', async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'tidings-mongod-')), 'long'.repeat(20));
    const { url } = await start(folder);
    expect(new URL(url).hostname).toBe('127.0.0.1');
    const client = new MongoClient(url);
    expect(await client.db('t').collection('c').findOne()).toBeNull();
    await client.close();
  });

  it('requires a password that only the owner of the folder can read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    const { url } = await start(folder);
    const { username, password, host } = new URL(url);
    const { port } = JSON.parse(await readFile(join(folder, 'tidings-mongod.json'), 'utf8')) as { port: number };
    const refused = async (address: string): Promise<unknown> => {
      const client = new MongoClient(address);
      try {
        return await client.db('t').collection('c').findOne();
      } catch (error) {
        return (error as { codeName?: unknown }).codeName;
      } finally {
        await client.close();
      }
    };
    for (const address of [host, `127.0.0.1:${port}`])
      expect(await refused(`mongodb://${address}/?directConnection=true`)).toBe('Unauthorized');
    expect(await refused(url.replace(password, 'another'))).toBe('AuthenticationFailed');
    expect(await refused(url.replace(`${username}:`, '__system:'))).toBe('AuthenticationFailed');
    expect(await refused(url)).toBeNull();
    const holding = [];
    for (const name of await readdir(folder)) {
      const file = await stat(join(folder, name));
      if (file.isFile() && (await readFile(join(folder, name), 'latin1')).includes(password))
        holding.push([name, file.mode & 0o777]);
    }
    expect(holding).toEqual([['mongod-key', 0o600]]);
    await rm(folder, { recursive: true, force: true });
  });

  it('refuses data of another series before a server touches them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    await (await start(folder)).stop();
    const kept = join(folder, 'mongod-version');
    const own = (await readFile(kept, 'utf8')).trim();
    const log = join(folder, 'mongod.log');
    const before = await readFile(log, 'utf8');
    for (const other of ['7.0.5', '4.2.24', '3.6.8']) {
      await writeFile(kept, `${other}\n`);
      await expect(start(folder)).rejects.toThrow(
        new RegExp(`are of MongoDB ${other}, and the mongod here is ${own}: put mongod \\d+\\.\\d+ on the PATH`),
      );
    }
    expect(await readFile(log, 'utf8')).toBe(before);
    // Another release of the series opens the data, and so do missing or damaged versions.
    for (const text of [own.replace(/\.\d+$/, '.999'), '', '{"4', '7']) {
      await writeFile(kept, text);
      await (await start(folder)).stop();
      expect((await readFile(kept, 'utf8')).trim()).toBe(own);
    }
    await rm(folder, { recursive: true, force: true });
  });

  it('accepts its owner if the data are older than the password', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    const first = await start(folder);
    const client = await MongoClient.connect(first.url, mongoOptions);
    await client.db('t').collection<{ _id: string }>('c').insertOne({ _id: 'kept' });
    await client.db('admin').command({ dropUser: new URL(first.url).username });
    await client.close();
    await first.stop();
    const second = await start(folder);
    const again = await MongoClient.connect(second.url, mongoOptions);
    expect(await again.db('t').collection('c').countDocuments()).toBe(1);
    await again.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('does not stop the server of another live process, and adopts it when that process has ended', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    const note = join(folder, 'tidings-mongod.json');
    const { pid } = await start(folder);
    const belongTo = async (parent: number): Promise<void> =>
      writeFile(note, JSON.stringify({ ...(JSON.parse(await readFile(note, 'utf8')) as object), parent }));

    await belongTo(process.ppid);
    const borrowed = await startMongod(folder);
    await borrowed.stop();
    expect(isAlive(pid)).toBe(true);

    await belongTo(2 ** 22 + 1);
    const inherited = await startMongod(folder);
    expect(inherited.pid).toBe(pid);
    await inherited.stop();
    expect(isAlive(pid)).toBe(false);
    await rm(folder, { recursive: true, force: true });
  });

  it('restarts on its port and data as soon as the server is killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    const { pid, url } = await start(folder);
    // Not a port that the system assigns to outgoing connections.
    expect(Number(new URL(url).port)).toBeLessThan(32_768);
    const client = await MongoClient.connect(url, mongoOptions);
    await client.db('t').collection<{ _id: string }>('c').insertOne({ _id: 'kept' });
    await client.close();
    process.kill(pid, 'SIGKILL');
    let again = await start(folder);
    for (let kills = 1; kills < 4; kills++) {
      expect(again.url).toBe(url);
      process.kill(again.pid, 'SIGKILL');
      again = await start(folder);
    }
    const later = await MongoClient.connect(again.url, mongoOptions);
    expect(await later.db('t').collection('c').countDocuments()).toBe(1);
    await later.close();
    await again.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('starts after its parent was killed before it wrote the note', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    const { pid } = await start(folder);
    await rm(join(folder, 'tidings-mongod.json'));
    const again = await start(folder);
    expect(again.pid).not.toBe(pid);
    expect(isAlive(pid)).toBe(false);
    await again.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('starts with a damaged note', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    await (await start(folder)).stop();
    await writeFile(join(folder, 'tidings-mongod.json'), '{"pid":7,"port":-1,"parent":0}');
    await (await start(folder)).stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('reports that its key is damaged, and creates a new one once that is removed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    await (await start(folder)).stop();
    const file = join(folder, 'mongod-key');
    const key = await readFile(file, 'utf8');
    for (const text of ['', key.slice(0, 30), `${key.slice(0, 40)}\0\0\0`]) {
      await writeFile(file, text);
      await expect(start(folder)).rejects.toThrow(`${file} is damaged: remove it, and the next start makes a new one`);
    }
    await rm(file);
    const { url, stop } = await start(folder);
    const client = await MongoClient.connect(url, mongoOptions);
    expect(await client.db('t').command({ ping: 1 })).toMatchObject({ ok: 1 });
    await client.close();
    await stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('does not affect the server of another program on its data', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    await (await start(folder)).stop();
    const port = await freePort();
    const foreign = spawn((await findMongod())!, ['--dbpath', folder, '--port', String(port)], { stdio: 'ignore' });
    try {
      await untilListening(port, folder);
      await expect(start(folder)).rejects.toMatchObject({
        kind: 'conflict',
        message: `The data folder is in use by process ${foreign.pid}, a MongoDB that Tidings did not start, in ${folder}`,
      });
      expect(isAlive(foreign.pid!)).toBe(true);
    } finally {
      killNow(foreign.pid!);
      await once(foreign, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  });

  it('uses another port if its own belongs to another server', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    const first = await start(folder);
    await first.stop();
    const { port } = new URL(first.url);
    const other = createServer((socket) => socket.destroy()).listen(Number(port), '127.0.0.1');
    await once(other, 'listening');
    const second = await start(folder);
    expect(new URL(second.url).port).not.toBe(port);
    const client = await MongoClient.connect(second.url, mongoOptions);
    await client.db('t').collection<{ _id: string }>('c').insertOne({ _id: 'written' });
    await client.close();
    other.close();
    await second.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('reports how a server ended', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    const mongod = await start(folder);
    expect(await mongod.exitDetails()).toEqual({});
    process.kill(mongod.pid, 'SIGKILL');
    while (isAlive(mongod.pid) || (await mongod.exitDetails()).how === undefined) await nextTurn();
    expect(await mongod.exitDetails()).toEqual({ how: 'signal SIGKILL, perhaps for want of memory' });
    await rm(folder, { recursive: true, force: true });
  });

  it('is started by one of two concurrent processes on a folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongod-'));
    const results = await Promise.allSettled([start(folder), start(folder)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { kind: 'conflict', message: expect.stringContaining(`in use by process ${process.pid}`) as unknown },
    });
    for (const mongod of started.splice(0)) await mongod.stop();
    await rm(folder, { recursive: true, force: true });
  });
});

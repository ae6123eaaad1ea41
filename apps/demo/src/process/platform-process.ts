import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitWithParent, isAlive, killNow } from '@tidings/coordination';
import { startNode } from './node-process.ts';
import { untilReady } from './until-ready.ts';

export interface PlatformProcessOptions {
  readonly entry: string;
  readonly dataFolder: string;
  readonly port: number;
  readonly env?: Readonly<Record<string, string>>;
  /** @default 60000 */
  readonly startTimeoutMs?: number;
}

export interface PlatformProcess {
  readonly url: string;
  readonly pid: number;
  mongodPid(): Promise<number | undefined>;
  kill(what: 'platform' | 'everything'): Promise<void>;
  stop(): Promise<number | NodeJS.Signals>;
  output(): string;
  errors(): string;
}

const POLL_MS = 20;

/** The process and its database end with this process. */
export async function startPlatformProcess(options: PlatformProcessOptions): Promise<PlatformProcess> {
  const { entry, dataFolder, port, env = {}, startTimeoutMs = 60_000 } = options;
  const note = join(dataFolder, 'mongo', 'tidings-mongod.json');
  // A killed platform leaves its database to the next one.
  exitWithParent(note);
  const child = await startNode({
    entry,
    logFile: join(dataFolder, 'platform.log'),
    env: { EVENTS_PORT: '0', ...env, HOST: '127.0.0.1', PORT: String(port), TIDINGS_DATA: dataFolder },
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    await untilReady(url, child, startTimeoutMs);
    if (!child.alive()) await child.endedEarly();
  } catch (error) {
    child.signal('SIGKILL');
    throw error;
  }
  const mongodPid = (): Promise<number | undefined> => pidIn(note);
  return {
    url,
    pid: child.pid,
    mongodPid,
    async kill(what) {
      const mongod = what === 'everything' ? await mongodPid() : undefined;
      child.signal('SIGKILL');
      if (mongod !== undefined) await killPid(mongod);
      await child.ended();
    },
    stop() {
      child.signal('SIGTERM');
      return child.ended();
    },
    output: () => child.output(),
    errors: () => child.errors(),
  };
}

async function pidIn(file: string): Promise<number | undefined> {
  try {
    return (JSON.parse(await readFile(file, 'utf8')) as { pid: number }).pid || undefined;
  } catch {
    return undefined;
  }
}

async function killPid(pid: number): Promise<void> {
  killNow(pid);
  while (isAlive(pid)) await delay(POLL_MS);
}

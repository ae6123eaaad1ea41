import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Fault } from '@tidings/kernel';

export interface NodeProcessOptions {
  /** The built program. */
  readonly entry: string;
  /** Beside what this process has. */
  readonly env: Readonly<Record<string, string>>;
  /** Where both its outputs are written, appended to what is there. */
  readonly logFile: string;
  /** Whether stacks name lines of the sources: a service spends a quarter of the CPU time of its start on that. @default true */
  readonly sourceMaps?: boolean | undefined;
}

/** A Node program as a child, in a process group of its own. */
export interface NodeProcess {
  readonly pid: number;
  /** The first line on its standard output; rejects when it ends before that. */
  firstLine(): Promise<string>;
  /** True until it has ended. */
  alive(): boolean;
  /** Resolves with the exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals>;
  /** Rejects with a Fault `unavailable` that has the last lines of its log, once it has ended. */
  endedEarly(): Promise<never>;
  signal(name: NodeJS.Signals): void;
  /** What it has written so far to its standard output. */
  output(): string;
  /** What it has written so far to its standard error. */
  errors(): string;
}

/** The last lines of a log, for the message about a program that ended too early. */
const TAIL_BYTES = 2000;
const KEPT_CHARACTERS = 100_000;

/** Children that end with this process. */
const running = new Set<ChildProcess>();

function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts a built program of this workspace with the Node that runs this. It ends with this process, unless that is killed. */
export async function startNode({ entry, env, logFile, sourceMaps = true }: NodeProcessOptions): Promise<NodeProcess> {
  await (await open(logFile, 'a')).close();
  const child = spawn(process.execPath, [...(sourceMaps ? ['--enable-source-maps'] : []), entry], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const log = createWriteStream(logFile, { flags: 'a' });
  const [output, errors] = [child.stdout, child.stderr].map((stream) => {
    stream.pipe(log, { end: false });
    return kept(stream);
  }) as [() => string, () => string];
  if (running.size === 0) process.once('exit', killAll);
  running.add(child);
  const ended = exitOf(child).finally(() => {
    running.delete(child);
    if (running.size === 0) process.off('exit', killAll);
  });
  ended.catch(() => undefined);
  // Its last lines may come after its end.
  const logged = new Promise<void>((resolve) => child.once('close', () => log.end(resolve)));
  if (child.pid === undefined) await ended;

  const firstLine = lineOf(child, output);
  firstLine.catch(() => undefined);
  const endedEarly = async (): Promise<never> => {
    const how = await ended;
    await logged;
    throw Fault.unavailable(
      `${entry} ended before it was ready (${how}):\n${(await readFile(logFile, 'utf8')).slice(-TAIL_BYTES)}`,
    );
  };
  return {
    pid: child.pid!,
    firstLine: () => Promise.race([firstLine, endedEarly()]),
    endedEarly,
    alive: () => child.exitCode === null && child.signalCode === null,
    ended: () => ended,
    signal: (name) => void child.kill(name),
    output,
    errors,
  };
}

/** The beginning of a stream, as far as it has come. */
function kept(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < KEPT_CHARACTERS) text += chunk;
  });
  return () => text;
}

async function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? signal!;
}

function lineOf({ stdout }: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve) => {
    const look = (): void => {
      const end = output().indexOf('\n');
      if (end < 0) return;
      stdout!.off('data', look);
      resolve(output().slice(0, end));
    };
    stdout!.on('data', look);
  });
}

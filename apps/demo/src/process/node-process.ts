import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { exitWithParent } from '@tidings/coordination';
import { Fault } from '@tidings/kernel';
import { secretVariables } from '@tidings/runtime';

export interface NodeProcessOptions {
  readonly entry: string;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Takes a quarter of a service's CPU time at its start. @default true */
  readonly sourceMaps?: boolean | undefined;
}

export interface NodeProcess {
  readonly pid: number;
  firstLine(): Promise<string>;
  alive(): boolean;
  ended(): Promise<number | NodeJS.Signals>;
  endedEarly(): Promise<never>;
  signal(name: NodeJS.Signals): void;
  output(): string;
  errors(): string;
}

const TAIL_BYTES = 2000;
const KEPT_CHARACTERS = 100_000;

const running = new Set<ChildProcess>();

function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** A secret given both directly and by an inherited file would end the start. */
export function environmentOf(
  given: Readonly<Record<string, string>>,
  inherited: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const secrets = secretVariables.filter((name) => Object.hasOwn(given, name));
  return { ...inherited, ...Object.fromEntries(secrets.map((name) => [`${name}_FILE`, ''])), ...given };
}

/** The child ends with this process, however it ends. */
export async function startNode({ entry, env, logFile, sourceMaps = true }: NodeProcessOptions): Promise<NodeProcess> {
  await (await open(logFile, 'a')).close();
  const child = spawn(process.execPath, [...(sourceMaps ? ['--enable-source-maps'] : []), entry], {
    env: environmentOf(env),
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
  const forget = child.pid === undefined ? undefined : exitWithParent(child.pid);
  const ended = exitOf(child).finally(() => {
    forget?.();
    running.delete(child);
    if (running.size === 0) process.off('exit', killAll);
  });
  ended.catch(() => undefined);
  // Its last lines may arrive after its end.
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

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { exitWithParent } from '@tidings/coordination';
import type { Parts } from './parts.ts';

const TICKS_PER_SECOND = 100;

/** User and system, to the nearest 10 ms. */
export function cpuMicros(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
}

export function ownCpuWith(mongodPid: number): Parts {
  const { user, system } = process.cpuUsage();
  return { process: user + system, mongod: cpuMicros(mongodPid) };
}

const megabytesOf = (field: string, pid: number): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

export const peakResidentMb = (pid: number): number => megabytesOf('VmHWM', pid);

export interface NamedProcess {
  readonly name: string;
  readonly pid: number;
}

export const cpuOf = (processes: readonly NamedProcess[]): Parts => eachOf(processes, cpuMicros);

export const residentOf = (processes: readonly NamedProcess[]): Parts =>
  eachOf(processes, (pid) => megabytesOf('VmRSS', pid));

const eachOf = (processes: readonly NamedProcess[], measured: (pid: number) => number): Parts =>
  Object.fromEntries(processes.map(({ name, pid }) => [name, measured(pid)]));

/** It printed one line of JSON when it was ready. */
export interface Program<Ready> {
  readonly pid: number;
  readonly ready: Ready;
  stop(): Promise<void>;
}

/** From source. @throws if it ends before it is ready */
export async function startProgram<Ready>(
  script: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Program<Ready>> {
  const child = spawn(
    process.execPath,
    ['--conditions=@tidings/source', '--import', '@swc-node/register/esm-register', script, ...args],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_ENV: 'production', ...env } },
  );
  if (child.pid !== undefined) child.once('exit', exitWithParent(child.pid));
  const ready = (await firstLine(child)) as Ready;
  return {
    pid: child.pid!,
    ready,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function firstLine(child: ChildProcess): Promise<unknown> {
  const lines = createInterface({ input: child.stdout! });
  for await (const line of lines) {
    if (!line.startsWith('{"ready"')) continue;
    child.stdout!.resume();
    return (JSON.parse(line) as { ready: unknown }).ready;
  }
  throw new Error(`ended before it was ready, with code ${child.exitCode}`);
}

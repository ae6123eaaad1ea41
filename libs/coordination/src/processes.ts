import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const gone: ReadonlySet<unknown> = new Set(['ENOENT', 'ESRCH']);

const isGoneError = (error: unknown): boolean => gone.has((error as NodeJS.ErrnoException).code);

/** A zombie with a running thread counts: it keeps ports and locks. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  if (process.platform !== 'linux') return true;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z' || readdirSync(`/proc/${pid}/task`).length > 1;
  } catch (error) {
    return !isGoneError(error);
  }
}

/** Guards against reused pids. @throws if unknown: killing needs certainty */
export function isProcessOf(pid: number, text: string): boolean {
  if (!(pid > 0) || !isAlive(pid)) return false;
  const args = argumentsOf(pid);
  return args === '' || args.includes(text);
}

function argumentsOf(pid: number): string {
  if (process.platform === 'win32') return '';
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch (error) {
    if (!isGoneError(error)) throw error;
    return '';
  }
}

export function killNow(pid: number): void {
  // Zero and less would mean groups of processes.
  if (!(pid > 0)) throw new RangeError(`${pid} is not a process id`);
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

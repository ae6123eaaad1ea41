import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Codes of errors that prove that a process has ended. Others, such as too many open files, prove nothing. */
const gone: ReadonlySet<unknown> = new Set(['ENOENT', 'ESRCH']);

const isGoneError = (error: unknown): boolean => gone.has((error as NodeJS.ErrnoException).code);

/**
 * Whether a process runs on this machine. A zombie does not, unless one of its threads still runs: it keeps the
 * ports and locks of the process until then.
 */
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

/**
 * Whether a process runs that was started with an argument that contains `text`: another program may have got its number meanwhile. One
 * that is just dying has no arguments any more, and still its locks.
 * @throws where it cannot be known, e.g. with too many open files: a process that is taken for another one may be killed
 */
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

/** Ends a process at once, without a chance to clean up; one that has ended already is fine. */
export function killNow(pid: number): void {
  // Zero and less would mean groups of processes, this one's own among them.
  if (!(pid > 0)) throw new RangeError(`${pid} is not a process id`);
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

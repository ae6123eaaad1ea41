import { readFileSync } from 'node:fs';

/** Whether a process runs on this machine. One that has ended and was not yet collected by its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  if (process.platform !== 'linux') return true;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch {
    return false;
  }
}

/** Ends a process at once, without a chance to clean up; one that has ended already is fine. */
export function killNow(pid: number): void {
  // Zero and less would mean groups of processes, this one's own among them.
  if (!(pid > 0)) throw new RangeError(`${pid} is no process`);
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

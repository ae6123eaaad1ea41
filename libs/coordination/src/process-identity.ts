import { readFileSync, readlinkSync } from 'node:fs';
import { isAlive } from './processes.ts';

/**
 * Identifies a process for other processes that check whether it has ended. A host name and a process id do not suffice: in containers every process
 * has id 1, and host names repeat.
 */
export interface ProcessIdentity {
  /** The boot of the machine and the namespace of the id. */
  readonly space: string;
  readonly pid: number;
  /** Start time of the process, in ticks since the boot: ids are reused. */
  readonly startedAt: string;
}

/** The identity of a visible process. Undefined if it has none: not on Linux, or after its end. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field, the program's name in brackets, may contain anything. The start is the 22nd.
    const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return startedAt === undefined ? undefined : { space: spaceHere(), pid, startedAt };
  } catch {
    return undefined;
  }
}

const spaceHere = (): string =>
  [
    readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(),
    readlinkSync('/proc/self/ns/pid'),
    // The unit of ticks.
    timeNamespace(),
  ].join(' ');

function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    // Before Linux 5.6 there is only one.
    return '';
  }
}

/** Whether a process is known to have ended; false for one that is not visible from here. */
export function hasEnded(identity: ProcessIdentity | undefined): boolean {
  if (!identity) return false;
  try {
    if (identity.space !== spaceHere()) return false;
  } catch {
    return false;
  }
  if (!isAlive(identity.pid)) return true;
  const now = identityOf(identity.pid);
  return now !== undefined && now.startedAt !== identity.startedAt;
}

const own = identityOf(process.pid);

/** The identity of this process. */
export const ownIdentity = (): ProcessIdentity | undefined => own;

/** Whether an identity is this process's. */
export const isThisProcess = ({ space, pid, startedAt }: ProcessIdentity): boolean =>
  own?.space === space && own.pid === pid && own.startedAt === startedAt;

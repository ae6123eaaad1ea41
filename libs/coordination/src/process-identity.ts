import { readFileSync, readlinkSync } from 'node:fs';
import { isAlive } from './processes.ts';

/**
 * Which process something belongs to, for other processes to tell whether it has ended. A host name and a process id do not say that: in
 * containers every process is number 1, and host names repeat.
 */
export interface ProcessIdentity {
  /** The start of the machine and the namespace that the id counts in. */
  readonly space: string;
  readonly pid: number;
  /** When the process was started, in ticks since then: ids are used again. */
  readonly startedAt: string;
}

/** The identity of a process that is seen from here. Undefined where there is none to be had: elsewhere than on Linux, or after its end. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, which comes second in brackets, may hold anything. The start is the 22nd.
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
    // Ticks are counted by it.
    timeNamespace(),
  ].join(' ');

function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    // Before Linux 5.6 there is but one.
    return '';
  }
}

/** Whether a process is known to have ended; false for one that cannot be seen from here. */
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

/** Whether an identity is this very process's. */
export const isThisProcess = ({ space, pid, startedAt }: ProcessIdentity): boolean =>
  own?.space === space && own.pid === pid && own.startedAt === startedAt;

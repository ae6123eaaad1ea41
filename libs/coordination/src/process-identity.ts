import { readFileSync, readlinkSync } from 'node:fs';
import { isAlive } from './processes.ts';

/** In containers every process has id 1, and host names repeat. */
export interface ProcessIdentity {
  readonly space: string;
  readonly pid: number;
  readonly startedAt: string;
}

export function identityOf(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field may contain anything; the start is the 22nd.
    const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return startedAt === undefined ? undefined : { space: localSpace(), pid, startedAt };
  } catch {
    return undefined;
  }
}

const localSpace = (): string =>
  [
    readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(),
    readlinkSync('/proc/self/ns/pid'),
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

export function hasEnded(identity: ProcessIdentity | undefined): boolean {
  if (!identity) return false;
  try {
    if (identity.space !== localSpace()) return false;
  } catch {
    return false;
  }
  if (!isAlive(identity.pid)) return true;
  const now = identityOf(identity.pid);
  return now !== undefined && now.startedAt !== identity.startedAt;
}

const own = identityOf(process.pid);

export const ownIdentity = (): ProcessIdentity | undefined => own;

export const isThisProcess = ({ space, pid, startedAt }: ProcessIdentity): boolean =>
  own?.space === space && own.pid === pid && own.startedAt === startedAt;

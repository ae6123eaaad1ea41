import { hasEnded, isThisProcess, ownIdentity, type ProcessIdentity } from './process-identity.ts';

/** The holder of a lease, as other processes see it. */
export interface LeaseOwner {
  /** Random for each holder: neither host names nor process ids identify a process. */
  readonly id: string;
  /** Absent if other processes cannot see whether the holder has ended. */
  readonly process?: ProcessIdentity | undefined;
}

/** Ids of the owners that live in this process. */
const here = new Set<string>();

/** Makes an owner known in this process, until {@link endOwner}. May be repeated. */
export function beginOwner(id: string): LeaseOwner {
  here.add(id);
  const process = ownIdentity();
  return { id, ...(process && { process }) };
}

export const endOwner = (id: string): void => void here.delete(id);

/** Whether an owner is known to have ended, so that no process needs to wait for its lease. False for an owner that this process cannot see. */
export function hasOwnerEnded({ id, process }: LeaseOwner): boolean {
  if (!process) return false;
  return isThisProcess(process) ? !here.has(id) : hasEnded(process);
}

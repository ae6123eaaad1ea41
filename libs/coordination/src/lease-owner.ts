import { hasEnded, isThisProcess, ownIdentity, type ProcessIdentity } from './process-identity.ts';

export interface LeaseOwner {
  readonly id: string;
  readonly process?: ProcessIdentity | undefined;
}

const localOwners = new Set<string>();

export function registerOwner(id: string): LeaseOwner {
  localOwners.add(id);
  const process = ownIdentity();
  return { id, ...(process && { process }) };
}

export const unregisterOwner = (id: string): void => void localOwners.delete(id);

export function hasOwnerEnded({ id, process }: LeaseOwner): boolean {
  if (!process) return false;
  return isThisProcess(process) ? !localOwners.has(id) : hasEnded(process);
}

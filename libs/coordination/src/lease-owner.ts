import { hasEnded, isThisProcess, ownIdentity, type ProcessIdentity } from './process-identity.ts';

export interface LeaseOwner {
  readonly id: string;
  readonly process?: ProcessIdentity | undefined;
}

const here = new Set<string>();

export function beginOwner(id: string): LeaseOwner {
  here.add(id);
  const process = ownIdentity();
  return { id, ...(process && { process }) };
}

export const endOwner = (id: string): void => void here.delete(id);

export function hasOwnerEnded({ id, process }: LeaseOwner): boolean {
  if (!process) return false;
  return isThisProcess(process) ? !here.has(id) : hasEnded(process);
}

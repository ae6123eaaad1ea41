import { readFileSync } from 'node:fs';
import { Fault } from '@tidings/kernel';

const RESERVED = 256;
const MIN_FILES = 512;
const MAX_CONNECTIONS = 10_000;

function openFilesLimit(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    // Not Linux.
    return Infinity;
  }
}

export interface ConnectionBudget {
  readonly maxConnections: number;
  readonly warning: string | undefined;
}

/** At the limit of open files a process loses its store. @throws Fault `argument` below 512 */
export function connectionBudget(limit = openFilesLimit()): ConnectionBudget {
  if (limit < MIN_FILES) {
    throw Fault.argument(`The limit of open files is ${limit}, and ${MIN_FILES} are needed: ulimit -n 65536`);
  }
  const maxConnections = Math.min(MAX_CONNECTIONS, limit - RESERVED);
  const isLow = maxConnections < MAX_CONNECTIONS;
  return {
    maxConnections,
    warning: isLow
      ? `the limit of open files, ${limit}, allows ${maxConnections} HTTP connections; ulimit -n ${MAX_CONNECTIONS + RESERVED} allows ${MAX_CONNECTIONS}`
      : undefined,
  };
}

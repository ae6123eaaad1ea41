import { readFileSync } from 'node:fs';
import { Fault } from '@tidings/kernel';

const RESERVED = 256;
const LEAST = 512;
const MOST_CONNECTIONS = 10_000;

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
  if (limit < LEAST) {
    throw Fault.argument(`The limit of open files is ${limit}, and ${LEAST} are needed: ulimit -n 65536`);
  }
  const maxConnections = Math.min(MOST_CONNECTIONS, limit - RESERVED);
  const isLow = maxConnections < MOST_CONNECTIONS;
  return {
    maxConnections,
    warning: isLow
      ? `the limit of open files, ${limit}, allows ${maxConnections} HTTP connections; ulimit -n ${MOST_CONNECTIONS + RESERVED} allows ${MOST_CONNECTIONS}`
      : undefined,
  };
}

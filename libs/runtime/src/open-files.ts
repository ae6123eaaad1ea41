import { readFileSync } from 'node:fs';
import { Fault } from '@tidings/kernel';

/** Files that a process needs for itself: connections to the stores, to providers and between services, and programs. */
const RESERVED = 256;
/** Minimum for a process to start. */
const LEAST = 512;
/** Maximum HTTP connections. */
const MOST_CONNECTIONS = 10_000;

/** The limit of open files of this process; Node raises the soft limit to the hard one at start. `Infinity` if unreadable. */
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
  /** Maximum concurrent HTTP connections of this process. */
  readonly maxConnections: number;
  /** A warning for the operator if the limit of open files permits less than the default. */
  readonly warning: string | undefined;
}

/**
 * The number of HTTP connections that the limit of open files permits, so that it is never reached: a process that cannot open files loses its store
 * and its service.
 * @param limit
 * @default this process
 * @throws Fault `argument` below 512 open files
 */
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

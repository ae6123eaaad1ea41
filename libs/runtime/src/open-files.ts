import { readFileSync } from 'node:fs';
import { Fault } from '@tidings/kernel';

/** Files that a process holds for itself: connections to the stores, to providers and between services, and programs. */
const RESERVED = 256;
/** The least with which a process starts. */
const LEAST = 512;
/** HTTP connections where the limit allows them. */
const MOST_CONNECTIONS = 10_000;

/** The limit of open files of this process; Node raises the soft one to the hard one as it starts. `Infinity` where it cannot be read. */
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
  /** How many HTTP connections this process takes at a time. */
  readonly maxConnections: number;
  /** What the operator is to be told where the limit of open files allows less than the default. */
  readonly warning: string | undefined;
}

/**
 * How many HTTP connections the limit of open files leaves room for, so that it is never reached: what cannot open a file any more neither finds its
 * store nor serves anybody.
 * @param limit @default that of this process
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

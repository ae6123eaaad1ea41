import { every, type Periodic } from '@tidings/coordination';
import type { Clock } from '@tidings/kernel';
import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import { openCommits } from './mongo/open-commits.ts';
import type { LogDefinition } from './event-log-port.ts';

const EVERY_MS = 60_000;
const DAY_MS = 86_400_000;

/** How long commits are kept (R-LM3): as long as figures that rest on them, or as long as details of single devices. */
export const commitsKept = { asFigures: 365 * DAY_MS, asDetails: 30 * DAY_MS } as const;

export interface TruncationOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds: one of {@link commitsKept}. */
  readonly keptMs: number;
}

/**
 * Removes commits of a category that is relayed once a minute when they are older than they are kept, applied to their states and published:
 * from then on the states are the record (architecture 4).
 */
export function truncateLogs<Event>(
  db: Db,
  definition: Pick<LogDefinition<never, Event, never, never>, 'category' | 'decode' | 'isKnown'>,
  { clock, log, keptMs }: TruncationOptions,
): Periodic {
  const commits = openCommits(db, definition, { isRelayed: true });
  const truncate = (signal: AbortSignal): Promise<void> => commits.removeBefore(new Date(clock.now() - keptMs), signal);
  return every(EVERY_MS, truncate, { name: `truncation of ${definition.category}`, log, clock });
}

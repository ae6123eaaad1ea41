import { every, type Periodic } from '@tidings/coordination';
import { type Clock, sureTime } from '@tidings/kernel';
import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import { openCommits } from './mongo/open-commits.ts';
import type { LogDefinition } from './event-log-port.ts';

const EVERY_MS = 60_000;
const DAY_MS = 86_400_000;

/** Retention of commits (R-LM3): as long as figures that depend on them, or as details of single devices. */
export const commitRetention = { asFigures: 365 * DAY_MS, asDetails: 30 * DAY_MS } as const;

export interface TruncationOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds: one of {@link commitRetention}. */
  readonly retentionMs: number;
}

/**
 * Once a minute, removes commits of a relayed category that exceed their retention, are applied to their states and published: from then on the
 * states are the record (architecture 4).
 */
export function truncateLogs<Event>(
  db: Db,
  definition: Pick<LogDefinition<never, Event, never, never>, 'category' | 'decode' | 'isKnown'>,
  { clock, log, retentionMs }: TruncationOptions,
): Periodic {
  const commits = openCommits(db, definition, { isRelayed: true });
  const truncate = (signal: AbortSignal): Promise<void> =>
    commits.removeBefore(new Date(sureTime(clock) - retentionMs), signal);
  return every(EVERY_MS, truncate, { name: `truncation of ${definition.category}`, log, clock });
}

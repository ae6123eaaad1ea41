import { every, type Periodic } from '@tidings/coordination';
import { type Clock, trustedTime } from '@tidings/kernel';
import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import { openCommits } from './mongo/open-commits.ts';
import type { LogDefinition } from './event-log-port.ts';

const EVERY_MS = 60_000;
const DAY_MS = 86_400_000;

export const commitRetention = { asFigures: 365 * DAY_MS, asDetails: 30 * DAY_MS } as const;

export interface TruncationOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly retentionMs: number;
}

export function truncateLogs<Event>(
  db: Db,
  definition: Pick<LogDefinition<never, Event, never, never>, 'category' | 'decode' | 'isKnown'>,
  { clock, log, retentionMs }: TruncationOptions,
): Periodic {
  const commits = openCommits(db, definition, { isRelayed: true });
  const truncate = (signal: AbortSignal): Promise<void> =>
    commits.removeBefore(new Date(trustedTime(clock) - retentionMs), signal);
  return every(EVERY_MS, truncate, { name: `truncation of ${definition.category}`, log, clock });
}

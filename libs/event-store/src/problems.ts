import type { DocumentAddress } from './event-log-port.ts';

/** What went wrong with data that is already durable; each is for an operator's eyes. */
export interface Problem {
  /**
   * `quarantined`: a document lacks commits because its new state cannot be made or stored, or an event is of a kind that this version
   * does not have; commands on it are refused until that works. Told once by a process.
   * `undecodable`: an event whose bytes no version can read does not say what it applies to, and was passed over. `unapplied`: a log's states
   * cannot be brought up to it. `unswept`: the store refuses to be asked which logs are behind, and `log` is their category. `unwritable`: self-reports were refused and dropped.
   * `unknownOutcome`: the store does not answer, work is repeated. `unpublished`: a commit cannot be made into records, or the broker refuses
   * them, and it was passed over.
   */
  readonly kind:
    'quarantined' | 'undecodable' | 'unapplied' | 'unswept' | 'unwritable' | 'unknownOutcome' | 'unpublished';
  readonly log: string;
  readonly n?: number;
  readonly address?: DocumentAddress;
  readonly error: unknown;
}

/** What a writer counts since it was opened. */
export interface WriterCounts {
  commands: number;
  groups: number;
  commits: number;
  events: number;
  /** Groups decided again, for another writer had taken the number. */
  conflicts: number;
  /** Inserts whose answer was lost. */
  unknownOutcomes: number;
  /** Commits of others, or of a former life, applied here. */
  applied: number;
  /** Groups split because one command made them fail. */
  split: number;
  /** Logs whose states were behind them when last looked at. */
  behind: number;
  /** Documents in quarantine when last looked at, whoever put them there. */
  quarantined: number;
  problems: number;
}

export const noCounts = (): WriterCounts => ({
  commands: 0,
  groups: 0,
  commits: 0,
  events: 0,
  conflicts: 0,
  unknownOutcomes: 0,
  applied: 0,
  split: 0,
  behind: 0,
  quarantined: 0,
  problems: 0,
});

import type { DocumentAddress } from './event-log-port.ts';

/** A problem with durable data, which needs an operator. */
export interface Problem {
  /**
   * `quarantined`: a document lacks commits because its new state cannot be made or stored, or this version does not have the kind of an event;
   * commands on it are refused until that succeeds. Reported once per process. `undecodable`: an event that no version can read does not name its
   * documents, and was skipped. `unapplied`: the commits of a log cannot be applied. `unswept`: the store refuses the query for logs that are behind;
   * `log` is their category. `unwritable`: self-reports were refused and dropped. `unknownOutcome`: the store does not answer, and work is repeated.
   * `unpublished`: a commit cannot be converted to records, or the broker refuses them, and it was passed over.
   */
  readonly kind:
    | 'quarantined'
    | 'undecodable'
    | 'unapplied'
    | 'unswept'
    | 'unwritable'
    | 'unknownOutcome'
    | 'unpublished';
  readonly log: string;
  readonly position?: number;
  readonly address?: DocumentAddress;
  readonly error: unknown;
}

/** A writer's counts since it was opened. */
export interface WriterCounts {
  commands: number;
  groups: number;
  commits: number;
  events: number;
  /** Groups decided again because another writer had taken the position. */
  conflicts: number;
  /** Inserts whose answer was lost. */
  unknownOutcomes: number;
  /** Commits of other or earlier writers, applied here. */
  applied: number;
  /** Groups split because one command made them fail. */
  split: number;
  /** Logs with states behind them at the last check. */
  behind: number;
  /** Documents in quarantine at the last check, by any process. */
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

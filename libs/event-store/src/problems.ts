import type { DocumentAddress } from './event-log-port.ts';

export interface Problem {
  /**
   * `unswept`: the store refuses the query for logs behind; `log` is a category. `unwritable`: self-reports were dropped. `unpublished`: a commit
   * was passed over.
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

export interface WriterCounts {
  commands: number;
  groups: number;
  commits: number;
  events: number;
  conflicts: number;
  unknownOutcomes: number;
  applied: number;
  split: number;
  behind: number;
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

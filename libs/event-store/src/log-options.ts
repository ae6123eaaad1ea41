import type { Clock } from '@tidings/kernel';
import type { IntakeLimits } from './log-intake.ts';
import type { Commit, LogWriter } from './event-log-port.ts';
import type { Problem, WriterCounts } from './problems.ts';

export interface OpenLogsOptions<Event> {
  /** The clock of commit times. @default systemClock */
  readonly clock?: Clock;
  /** Receives each commit of this writer once it is durable, before its states are written, in the order of its log. */
  readonly committed?: (commit: Commit<Event>) => void;
  /** Receives problems that need an operator. */
  readonly onProblem?: (problem: Problem) => void;
  /** Maximum commands of one log in a commit. @default 500 */
  readonly groupCommands?: number;
  /** Maximum bytes of events in a commit, unless a single command has more. @default 2 MB */
  readonly groupBytes?: number;
  /** Maximum commands of all logs in a round of writes. @default 1000 */
  readonly cycleCommands?: number;
  /** Parallel rounds of writes, for different logs. @default 2 */
  readonly cyclesInFlight?: number;
  /**
   * Maximum bytes of the documents that were written last, and are not read for the next command on them. For logs whose documents change soon after
   * they were created. @default 0
   */
  readonly rememberedBytes?: number;
  /** Maximum commands in progress; more are answered `unavailable`. @default 50000 */
  readonly maxPending?: number;
  /** Time after which a command is answered `unavailable` without an answer from the store. @default 3000 */
  readonly answerWithinMs?: number;
  /** Initial delay before writes without an answer are repeated. @default 20 */
  readonly repeatAfterMs?: number;
  /** Interval of the search for other writers' unapplied commits, and of writing heads. @default 1000 */
  readonly applyEveryMs?: number;
}

/** A writer that counts its work. */
export interface CountingLogWriter<Command, Reply> extends LogWriter<Command, Reply> {
  readonly counts: Readonly<WriterCounts>;
}

export const limitsOf = <Event>(options: OpenLogsOptions<Event>): IntakeLimits => ({
  groupCommands: options.groupCommands ?? 500,
  cycleCommands: options.cycleCommands ?? 1000,
  maxPending: options.maxPending ?? 50_000,
  answerWithinMs: options.answerWithinMs ?? 3000,
});

import type { Clock } from '@tidings/kernel';
import type { IntakeLimits } from './log-intake.ts';
import type { Commit, LogWriter } from './event-log-port.ts';
import type { Problem, WriterCounts } from './problems.ts';

export interface OpenLogsOptions<Event> {
  /** Gives commits their time. @default systemClock */
  readonly clock?: Clock;
  /** Hears each commit of this writer once it is durable, before its states are written, in the order of its log. */
  readonly committed?: (commit: Commit<Event>) => void;
  /** Hears what an operator must know of. */
  readonly onProblem?: (problem: Problem) => void;
  /** Commands of one log in a commit. @default 500 */
  readonly groupCommands?: number;
  /** Bytes of events in a commit, unless a single command makes more. @default 2 MB */
  readonly groupBytes?: number;
  /** Commands of all logs that share a round of writes. @default 1000 */
  readonly cycleCommands?: number;
  /** Rounds of writes side by side, for different logs. @default 2 */
  readonly cyclesInFlight?: number;
  /** Commands under way at most; more are answered `unavailable`. @default 50000 */
  readonly maxPending?: number;
  /** When a command is answered `unavailable` if the store gives no answer. @default 3000 */
  readonly answerWithinMs?: number;
  /** How soon writes that the store did not answer are repeated, at first. @default 20 */
  readonly repeatAfterMs?: number;
  /** How often other writers' unfinished commits are looked for, and heads are written. @default 1000 */
  readonly applyEveryMs?: number;
}

/** A writer that tells what it did. */
export interface CountingLogWriter<Command, Reply> extends LogWriter<Command, Reply> {
  readonly counts: Readonly<WriterCounts>;
}

export const limitsOf = <Event>(options: OpenLogsOptions<Event>): IntakeLimits => ({
  groupCommands: options.groupCommands ?? 500,
  cycleCommands: options.cycleCommands ?? 1000,
  maxPending: options.maxPending ?? 50_000,
  answerWithinMs: options.answerWithinMs ?? 3000,
});

import type { ExclusiveData } from '@tidings/coordination';
import type { Clock } from '@tidings/kernel';
import type { IntakeLimits } from './log-intake.ts';
import type { Commit, LogWriter } from './event-log-port.ts';
import type { Problem, WriterCounts } from './problems.ts';

export interface OpenLogsOptions<Event> {
  readonly clock?: Clock;
  /** Called in order, before the states are written. */
  readonly committed?: (commit: Commit<Event>) => void;
  readonly onProblem?: (problem: Problem) => void;
  /** @default 500 */
  readonly groupCommands?: number;
  /** Unless a single command has more. @default 2 MB */
  readonly groupBytes?: number;
  /** @default 1000 */
  readonly cycleCommands?: number;
  /** @default 2 */
  readonly cyclesInFlight?: number;
  /** Written documents that need no read. @default 0 */
  readonly cacheBytes?: number;
  /** More are answered `unavailable`. @default 50000 */
  readonly maxPending?: number;
  /** @default 3000 */
  readonly answerWithinMs?: number;
  /** @default 20 */
  readonly repeatAfterMs?: number;
  /** @default 1000 */
  readonly applyEveryMs?: number;
  readonly exclusive?: ExclusiveData | undefined;
}

export interface CountingLogWriter<Command, Reply> extends LogWriter<Command, Reply> {
  readonly counts: Readonly<WriterCounts>;
}

export const limitsOf = <Event>(options: OpenLogsOptions<Event>): IntakeLimits => ({
  groupCommands: options.groupCommands ?? 500,
  cycleCommands: options.cycleCommands ?? 1000,
  maxPending: options.maxPending ?? 50_000,
  answerWithinMs: options.answerWithinMs ?? 3000,
});

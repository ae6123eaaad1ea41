import { localResults, type RetrySchedule, type SendResult } from '@tidings/channels';
import {
  type BatchColumns,
  bitAt,
  type DeviceResult,
  type WaitReason,
  LATE_ANSWER_MS,
  type MessageTimes,
  type Progress,
  retryDeadline,
  retryWaitMs,
  tokenOf,
  resultBeforeSending,
  usualRetries,
  waitOf,
  hourOf,
  WORKER_LEASE_MS,
} from '@tidings/delivery';
import type { SendBatch } from '@tidings/events';
import { type Clock, clockSteps, setForwardMs } from '@tidings/kernel';

export interface Pending {
  readonly device: number;
  readonly progress: Progress;
}

export interface RunState {
  readonly results: readonly DeviceResult[];
  readonly waiting: readonly Pending[];
  readonly blockedUntil: number;
  readonly answersUntil: number;
}

export interface SliceDevicesOptions {
  readonly batch: SendBatch;
  readonly columns: BatchColumns;
  readonly pending: readonly Pending[];
  readonly claimedAt: number;
  readonly resumedAt?: number | undefined;
  readonly hasContentFor: (device: number) => boolean;
  readonly ttlSecondsOf: (device: number) => number | undefined;
  readonly isStopped: () => boolean;
  readonly clock: Clock;
  readonly retries?: RetrySchedule | undefined;
  readonly answersForMs?: number | undefined;
  readonly random: number;
}

export interface FailedAttempt {
  readonly result: SendResult;
  readonly firstWaitMs?: number;
  readonly retryAfterMs?: number;
  readonly outcomeUnknown?: boolean;
}

/** Devices due within this time are written now: resuming their slice costs more. */
export const WRITE_AHEAD_MS = 250;

export const ranUntil = (resumedAt = Infinity): number => resumedAt + WORKER_LEASE_MS;

/** An unanswered push may have arrived. */
export const stoppedResult = ({ outcomeUnknown }: Progress): SendResult =>
  outcomeUnknown ? localResults.unknownOutcome : localResults.stopped;

export class SliceDevices {
  readonly #deps: SliceDevicesOptions;
  readonly #startedAt: number;
  readonly #clockStep: () => number;
  readonly #retries: RetrySchedule;
  readonly #times: Omit<MessageTimes, 'now' | 'ttlSeconds' | 'setForwardMs'>;
  readonly #sendResults: (SendResult | undefined)[];
  answered = 0;
  readonly #progress: (Progress | undefined)[];
  readonly #at: Float64Array;
  readonly #since = new Map<number, number>();
  readonly #replacements = new Map<number, string>();
  readonly #refreshed = new Set<number>();
  #blockedUntil = 0;
  readonly #routeBlocked = new Set<number>();
  #isBlocked = false;
  #answersUntil = 0;

  constructor(deps: SliceDevicesOptions) {
    this.#deps = deps;
    const { pending, batch, claimedAt, clock, retries = usualRetries } = deps;
    this.#startedAt = clock.now();
    this.#clockStep = clockSteps(clock);
    this.#retries = retries;
    this.#times = { releasedAt: batch.releasedAt?.getTime() ?? claimedAt, claimedAt, retryForMs: retries.forMs };
    this.#sendResults = new Array<SendResult | undefined>(pending.length).fill(undefined);
    this.#progress = new Array<Progress | undefined>(pending.length).fill(undefined);
    this.#at = new Float64Array(pending.length);
  }

  toWrite(): number[] {
    const { pending, columns, batch, clock, hasContentFor } = this.#deps;
    const now = clock.now();
    // A successor must infer exactly what was written, though the clock may be set in between.
    const dueBy = Math.min(now, ranUntil(this.#deps.resumedAt)) + WRITE_AHEAD_MS;
    const queue: number[] = [];
    pending.forEach(({ device, progress }, i) => {
      if (progress.refreshed) this.#refreshed.add(i);
      if (progress.dueAt > dueBy) {
        this.#progress[i] = progress;
        return;
      }
      const failure =
        resultBeforeSending(columns, device) ?? (hasContentFor(device) ? undefined : localResults.noContent);
      if (progress.outcomeUnknown && batch.atMostOnce) this.settle(i, localResults.unknownOutcome);
      else if (failure) this.settle(i, failure);
      else if (progress.outcomeUnknown && progress.last && now > this.#retryUntil(device, progress))
        this.settle(i, progress.last);
      else queue.push(i);
    });
    return queue;
  }

  settle(i: number, result: SendResult): void {
    if (!this.#sendResults[i]) this.answered++;
    this.#sendResults[i] = result;
    this.#at[i] = this.#deps.clock.now();
  }

  /** Devices in flight end with their answers. */
  stop(isInFlight: (i: number) => boolean): void {
    this.#deps.pending.forEach(({ progress }, i) => {
      if (!this.#sendResults[i] && !isInFlight(i)) this.settle(i, stoppedResult(this.#progress[i] ?? progress));
    });
  }

  deadSince(i: number, since: number): void {
    this.#since.set(i, since);
  }

  tokenReplaced(i: number, replacement: string): void {
    const { pending, columns } = this.#deps;
    if (replacement !== tokenOf(columns, pending[i]!.device)) this.#replacements.set(i, replacement);
  }

  isRefreshed(i: number): boolean {
    return this.#refreshed.has(i);
  }

  refreshed(i: number): void {
    this.#refreshed.add(i);
  }

  retry(i: number, { result, firstWaitMs = 0, retryAfterMs = 0, outcomeUnknown = false }: FailedAttempt): void {
    const { clock, random, isStopped } = this.#deps;
    if (isStopped()) {
      this.settle(i, outcomeUnknown ? localResults.unknownOutcome : { ...result, then: { do: 'final' } });
      return;
    }
    this.#followClock();
    const attempted = this.#attempted(i);
    const tries = attempted.tries + 1;
    const dueAt = clock.now() + retryWaitMs({ tries, firstWaitMs, retryAfterMs }, random, this.#retries);
    if (dueAt > this.#retryUntil(this.#deps.pending[i]!.device, attempted))
      this.settle(i, { ...result, then: { do: 'final' } });
    else this.#progress[i] = { ...attempted, tries, dueAt, outcomeUnknown, last: result };
  }

  awaitAnswer(i: number): void {
    this.#followClock();
    const attempted = this.#attempted(i);
    const tries = attempted.tries + 1;
    const wait = { tries, firstWaitMs: 0, retryAfterMs: 0 };
    const { clock, random, answersForMs = LATE_ANSWER_MS } = this.#deps;
    const dueAt = clock.now() + Math.max(answersForMs, retryWaitMs(wait, random, this.#retries));
    this.#progress[i] = { ...attempted, tries, dueAt, outcomeUnknown: true, last: localResults.timeout };
    this.#answersUntil = dueAt;
  }

  makeDue(i: number): void {
    this.#followClock();
    this.#progress[i] = { ...this.#attempted(i), dueAt: this.#deps.clock.now() };
  }

  unprocessed(i: number): void {
    this.#progress[i] = { ...this.#deps.pending[i]!.progress, dueAt: this.#deps.clock.now() };
  }

  deferUnwritten(i: number, reason: WaitReason, isOwnRoute: boolean): void {
    this.#followClock();
    const { device, progress } = this.#deps.pending[i]!;
    const { clock } = this.#deps;
    const ttlSeconds = this.#deps.ttlSecondsOf(device);
    const wait = waitOf(progress, reason, {
      ...this.#times,
      ttlSeconds,
      now: clock.now(),
      setForwardMs: setForwardMs(clock),
    });
    if (wait.result) {
      this.settle(i, wait.result);
      return;
    }
    const own = { ...wait.progress, refreshed: this.#refreshed.has(i) };
    if (reason.by === 'turn') {
      this.#progress[i] = { ...own, dueAt: Math.max(own.dueAt, wait.until) };
      return;
    }
    this.#progress[i] = own;
    this.#blockedUntil = Math.min(this.#blockedUntil || Infinity, wait.until);
    if (isOwnRoute) this.#routeBlocked.add(i);
    else this.#isBlocked = true;
  }

  /** Times from before the clock was set back come as early as they would have. */
  #followClock(): void {
    const stepMs = this.#clockStep();
    if (stepMs >= 0) return;
    this.#progress.forEach((progress, i) => {
      if (progress) this.#progress[i] = { ...progress, dueAt: progress.dueAt + stepMs };
    });
    if (this.#blockedUntil > 0) this.#blockedUntil += stepMs;
    if (this.#answersUntil > 0) this.#answersUntil += stepMs;
  }

  state(hasOutstanding: boolean): RunState {
    this.#followClock();
    return {
      results: this.results(),
      waiting: this.#waiting(),
      blockedUntil: this.#isBlocked ? this.#blockedUntil : Math.min(this.#blockedUntil, this.#othersDueAt()),
      answersUntil: hasOutstanding ? this.#answersUntil : 0,
    };
  }

  #othersDueAt(): number {
    let dueAt = Infinity;
    this.#progress.forEach((progress, i) => {
      if (progress && !this.#sendResults[i] && !this.#routeBlocked.has(i)) dueAt = Math.min(dueAt, progress.dueAt);
    });
    return dueAt;
  }

  #retryUntil(device: number, { firstTriedAt }: Progress): number {
    const ttlSeconds = this.#deps.ttlSecondsOf(device);
    const firstAt = firstTriedAt || this.#startedAt;
    const end = retryDeadline(this.#times.releasedAt, firstAt, ttlSeconds, this.#retries.forMs);
    return end + setForwardMs(this.#deps.clock);
  }

  #attempted(i: number): Progress {
    const { progress } = this.#deps.pending[i]!;
    const firstTriedAt = progress.firstTriedAt || this.#startedAt;
    return { ...progress, firstTriedAt, refreshed: this.#refreshed.has(i), outcomeUnknown: false };
  }

  results(): DeviceResult[] {
    const { pending, columns } = this.#deps;
    return pending.flatMap(({ device }, i) => {
      const result = this.#sendResults[i];
      if (!result) return [];
      const replacement = this.#replacements.get(i);
      const isDead = result.then.do === 'invalidate' || replacement !== undefined;
      return {
        position: columns.positions[device]!,
        platform: columns.platform,
        hour: hourOf(this.#at[i]!),
        displayable: bitAt(columns.displayable, device),
        result,
        deadToken: isDead ? tokenOf(columns, device) : undefined,
        since: this.#since.get(i),
        replacement,
      };
    });
  }

  #waiting(): Pending[] {
    return this.#deps.pending.flatMap(({ device }, i) => {
      const progress = this.#progress[i];
      return progress && !this.#sendResults[i] ? [{ device, progress }] : [];
    });
  }
}

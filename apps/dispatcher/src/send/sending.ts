import { hasContent, localResults, type SendResult } from '@tidings/channels';
import {
  answered,
  type BatchColumns,
  bitAt,
  type Claimed,
  columnsOf,
  type DeviceResult,
  dueOf,
  type WaitReason,
  type Lane,
  LATE_ANSWER_MS,
  pickDevices,
  type Progress,
  type Deferral,
  type Deferred,
  type Results,
  resultsOf,
  type Settled,
  untried,
  waitOf,
  withResults,
  hourOf,
} from '@tidings/delivery';
import { SendBatch, type Slice } from '@tidings/events';
import { type Clock, setForwardMs, trustedTime } from '@tidings/kernel';
import { currentTrace, type Trace } from '@tidings/telemetry';
import type { Logger } from 'pino';
import type { AttemptStore } from '../attempts/attempts.ts';
import type { Channel, Sender } from '../channels/channel-port.ts';
import { type LaneMetrics, outcomesSince } from '../dispatcher-metrics.ts';
import type { Epoch } from '../attempts/worker-lease.ts';
import type { Paces } from '../pace/pace.ts';
import { type OutcomeRecord, outcomeRecord, progressRecord } from './outcome-records.ts';
import { Tally } from './tally.ts';
import type { SentValuesKeeper } from '../sent/sent-values.ts';
import type { StoppedMessages } from '../stop/stopped-messages.ts';
import type { Throttles } from '../throttle/throttles.ts';
import type { Timers } from '../timers.ts';
import type { RecordedSlice } from './progress-recorder.ts';
import { type Pending, type RunState, ranUntil, stoppedResult, WRITE_AHEAD_MS } from './slice-devices.ts';
import { type RunEnd, SliceRun } from './slice-run.ts';

export interface SendingDeps {
  readonly onDeferred: (dueAt: number) => void;
  readonly lane: Lane;
  readonly channel: Channel;
  readonly store: AttemptStore;
  readonly values: SentValuesKeeper;
  readonly throttles: Throttles;
  readonly paces: Paces;
  readonly stops: StoppedMessages;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly metrics: LaneMetrics;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}

export interface Budget {
  readonly cutoff: number;
  readonly deadline: number;
}

export interface Job {
  readonly batch: SendBatch;
  readonly columns: BatchColumns;
  readonly credential: string;
  readonly hasContentFor: (device: number) => boolean;
  readonly ttlSecondsOf: (device: number) => number | undefined;
  readonly sender: () => Promise<Sender | SendResult>;
  readonly tally: Tally;
}

export interface OpenSlice {
  readonly id: string;
  readonly job: Job;
  readonly slice: Slice;
  readonly attempt: Claimed;
  readonly epoch: Epoch;
  readonly pending: readonly Pending[];
}

export type Publication = OutcomeRecord | undefined;

export interface LateRun {
  readonly run: SliceRun;
  results: Results;
}

export interface ConcludedRun {
  readonly publication: Publication;
  readonly late?: LateRun | undefined;
}

export interface RunOptions extends Budget {
  readonly probe: boolean;
  readonly onAnswer: () => void;
}

const RETRY_DELAY_MS = 200;
const TRACES_MAX = 1_000;

export class Sending {
  readonly #deps: SendingDeps;
  readonly #traces = new Map<string, Trace>();

  constructor(deps: SendingDeps) {
    this.#deps = deps;
  }

  takeTrace(id: string): Trace | undefined {
    const trace = this.#traces.get(id);
    this.#traces.delete(id);
    return trace;
  }

  job(batch: SendBatch): Job {
    const { channel, lane } = this.#deps;
    const columns = columnsOf(batch);
    const { application, platform } = batch.credential ?? { application: '', platform: 0 };
    const ttls = batch.languageNames.map((language) => channel.ttlSeconds(batch, language));
    const hasContentIn = batch.languageNames.map((language) => hasContent(batch, language));
    let sender: Promise<Sender | SendResult> | undefined;
    return {
      batch,
      columns,
      credential: application === '' ? '' : `${application}/${platform}`,
      hasContentFor: (device) => hasContentIn[columns.languages[device]!] ?? true,
      ttlSecondsOf: (device) => ttls[columns.languages[device]!],
      sender: () => (sender ??= channel.open({ batch: { ...batch, ageSeconds: this.#ageOf(batch) }, columns, lane })),
      tally: new Tally(),
    };
  }

  /** A push that goes out at once keeps its time to live, so ages are whole minutes. */
  #ageOf({ releasedAt }: SendBatch): number {
    if (!releasedAt) return 0;
    const minutes = Math.floor((trustedTime(this.#deps.clock) - releasedAt.getTime()) / 60_000);
    return Math.max(0, minutes) * 60;
  }

  resumed(id: string, attempt: Claimed, epoch: Epoch): OpenSlice {
    const { batch, progress } = attempt.deferral!;
    const job = this.job(SendBatch.decode(batch));
    // A dead worker may have recorded results of the claim before.
    const done = answered(attempt.results);
    const pending = progress
      .map((each, device) => ({ device, progress: each }))
      .filter(({ device }) => !done.has(job.columns.positions[device]!));
    return { id, job, slice: job.batch.slices[0]!, attempt, epoch, pending };
  }

  runOf(open: OpenSlice, sender: Sender, options: RunOptions): SliceRun {
    const { id, job, pending, epoch, attempt } = open;
    const { channel, throttles, paces, stops, clock, timers, random, log, metrics } = this.#deps;
    const { batch, columns, ttlSecondsOf, hasContentFor } = job;
    const { claimedAt, resumedAt } = attempt;
    return new SliceRun({
      batch,
      columns,
      pending,
      sender,
      epoch,
      throttles,
      paces,
      stops,
      clock,
      timers,
      claimedAt,
      ttlSecondsOf,
      hasContentFor,
      ...options,
      resumedAt,
      retries: channel.retries,
      random: random(),
      onFault: (error) => log.error({ slice: id, err: error }, 'rendering a push failed'),
      onFirstAnswer: (ms) => metrics.answered(ms),
    });
  }

  async conclude(open: OpenSlice, run: SliceRun, end: RunEnd): Promise<ConcludedRun> {
    const publication = await this.#end(open, end);
    if (publication && run.isLate && !end.lost) {
      const results = withResults(open.attempt.results, resultsOf(end.results));
      return { publication, late: { run, results } };
    }
    run.abandon();
    return { publication };
  }

  recorded(open: OpenSlice, run: SliceRun, publish: (part: OutcomeRecord) => Promise<void>): RecordedSlice {
    const { id, job, slice, attempt, epoch, pending } = open;
    const { store, values, clock } = this.#deps;
    let stored = attempt.results;
    const positions = pending.map(({ device }) => job.columns.positions[device]!);
    let valuesStored: Promise<void> | undefined;
    return {
      results: () => run.devicesAnswered,
      remaining: () => pending.length - run.devicesAnswered,
      record: async () => {
        const results = withResults(attempt.results, resultsOf(run.results()));
        await (valuesStored ??= values.keep({ ...job, slice, round: attempt.round, positions }));
        if (!epoch.alive() || !(await store.progress(id, attempt, results))) return false;
        stored = results;
        return true;
      },
      publish: () => publish(progressRecord(job.batch, slice, attempt, stored, clock.now())),
    };
  }

  refuse(open: OpenSlice, result: SendResult): Promise<Publication> {
    const now = this.#deps.clock.now();
    const results = open.pending.map(({ device }) => resultOf(open.job.columns, device, result, now));
    return this.#end(open, { lost: false, results, waiting: [], blockedUntil: 0, answersUntil: 0 });
  }

  refuseStopped(open: OpenSlice): Promise<Publication> {
    const now = this.#deps.clock.now();
    const results = open.pending.map(({ device, progress }) =>
      resultOf(open.job.columns, device, stoppedResult(progress), now),
    );
    return this.#end(open, { lost: false, results, waiting: [], blockedUntil: 0, answersUntil: 0 });
  }

  /** The dead worker may have sent to the devices that were due. */
  takenOver(open: OpenSlice): OpenSlice {
    const isAmbiguous = this.#isAmbiguous(open);
    const pending = open.pending.map((each) =>
      isAmbiguous(each) ? { ...each, progress: { ...each.progress, outcomeUnknown: true } } : each,
    );
    return { ...open, pending };
  }

  #isAmbiguous({ attempt }: OpenSlice): (pending: Pending) => boolean {
    const dueBy = ranUntil(attempt.resumedAt ?? this.#deps.clock.now()) + WRITE_AHEAD_MS;
    return ({ progress }) => progress.dueAt <= dueBy;
  }

  /** Devices that were not due in the dead run go on waiting. */
  refuseAmbiguous(open: OpenSlice): Promise<Publication> {
    const now = this.#deps.clock.now();
    const isAmbiguous = this.#isAmbiguous(open);
    const results = open.pending
      .filter(isAmbiguous)
      .map(({ device }) => resultOf(open.job.columns, device, localResults.unknownOutcome, now));
    const waiting = open.pending.filter((each) => !isAmbiguous(each));
    return this.#end(open, { lost: false, results, waiting, blockedUntil: 0, answersUntil: 0 });
  }

  defer(open: OpenSlice, reason: WaitReason): Promise<Publication> {
    if (this.#deps.stops.has(open.job.batch.message)) return this.refuseStopped(open);
    return this.#end(open, { lost: false, ...this.deferredState(open, reason) });
  }

  deferredState(
    { job, attempt, pending }: Pick<OpenSlice, 'job' | 'attempt' | 'pending'>,
    reason: WaitReason,
  ): RunState {
    const { clock, channel } = this.#deps;
    const now = clock.now();
    const { batch, columns, ttlSecondsOf } = job;
    const { claimedAt } = attempt;
    const releasedAt = batch.releasedAt?.getTime() ?? claimedAt;
    const times = { now, claimedAt, releasedAt, retryForMs: channel.retries?.forMs, setForwardMs: setForwardMs(clock) };
    const results: DeviceResult[] = [];
    const waiting: Pending[] = [];
    let blockedUntil = Infinity;
    for (const { device, progress } of pending) {
      const wait = waitOf(progress, reason, { ...times, ttlSeconds: ttlSecondsOf(device) });
      if (wait.result) results.push(resultOf(columns, device, wait.result, now));
      else {
        waiting.push({ device, progress: wait.progress });
        blockedUntil = Math.min(blockedUntil, wait.until);
      }
    }
    return { results, waiting, blockedUntil: waiting.length > 0 ? blockedUntil : 0, answersUntil: 0 };
  }

  async amend(open: OpenSlice, late: LateRun): Promise<Publication> {
    const { id, job, slice, attempt } = open;
    const { run } = late;
    const { store, clock, throttles } = this.#deps;
    const state = run.state();
    const giveUpAt = this.#deps.timers.now() + LATE_ANSWER_MS;
    const mayRetry = (): boolean => this.#deps.timers.now() < giveUpAt;
    const results = withResults(attempt.results, resultsOf(state.results));
    if (state.waiting.length === 0) {
      const settledAt = clock.now();
      const isStored = await this.#retryWhile(mayRetry, async () => {
        await this.#storeValues(open, state);
        return store.finish(id, attempt, results, settledAt);
      });
      if (!isStored) return undefined;
      this.#stored(open, late, results);
      const { claimedAt } = attempt;
      return { ...this.#recordOf(open, { state: 'settled', claimedAt, results, settledAt }), attemptId: id };
    }
    const blockedUntil = throttles.blockedUntil(run.credential) > 0 ? state.blockedUntil : 0;
    const deferral = deferralOf(job, slice, { ...state, blockedUntil });
    const isStored = await this.#retryWhile(mayRetry, async () => {
      await this.#storeValues(open, state);
      return store.amend(id, attempt, results, deferral);
    });
    if (!isStored) return undefined;
    this.#stored(open, late, results);
    return this.#deferred(open, deferredOf(attempt, results, deferral));
  }

  #deferred(open: OpenSlice, deferred: Deferred): OutcomeRecord {
    this.#deps.onDeferred(deferred.dueAt);
    return this.#recordOf(open, deferred);
  }

  #stored(open: OpenSlice, late: LateRun, results: Results): void {
    this.#count(open, late.results, results);
    late.results = results;
  }

  async #end(open: OpenSlice, end: RunEnd): Promise<Publication> {
    const { store, clock, metrics } = this.#deps;
    const { id, attempt, epoch, job, slice } = open;
    if (end.lost) return this.#lost();
    const results = withResults(attempt.results, resultsOf(end.results));
    if (end.waiting.length === 0) {
      const settledAt = clock.now();
      const isStored = await this.#storeWhileAlive(epoch, async () => {
        await this.#storeValues(open, end);
        return store.settle(id, attempt, results, settledAt);
      });
      if (!isStored) return this.#lost();
      this.#count(open, attempt.results, results);
      const { claimedAt } = attempt;
      const record = this.#recordOf(open, { state: 'settled', claimedAt, results, settledAt });
      return { ...record, ...(attempt.deferral && { attemptId: id }) };
    }
    const deferral = deferralOf(job, slice, end);
    const isStored = await this.#storeWhileAlive(epoch, async () => {
      await this.#storeValues(open, end);
      return store.defer(id, attempt, results, deferral);
    });
    if (!isStored) return this.#lost();
    this.#count(open, attempt.results, results);
    metrics.slice('deferred');
    job.tally.deferred(end.waiting.length);
    this.#storeTrace(id);
    return this.#deferred(open, deferredOf(attempt, results, deferral));
  }

  /** Values are kept first, because the stored result states that they are. */
  #storeValues({ job, slice, attempt }: OpenSlice, { results }: Pick<RunState, 'results'>): Promise<void> {
    const sent = results.filter(({ result }) => result.category === 'SENT');
    const positions = sent.map(({ position }) => position);
    return this.#deps.values.keep({ ...job, slice, round: attempt.round, positions });
  }

  #count({ job }: OpenSlice, before: Results, results: Results): void {
    const outcomes = outcomesSince(before, results);
    this.#deps.metrics.ended(outcomes);
    job.tally.ended(outcomes);
  }

  #recordOf({ job, slice }: OpenSlice, attempt: Settled | Deferred): OutcomeRecord {
    return outcomeRecord(job.batch, slice, attempt, this.#deps.clock.now());
  }

  #storeTrace(id: string): void {
    const trace = currentTrace();
    if (!trace) return;
    if (this.#traces.size >= TRACES_MAX) this.#traces.delete(this.#traces.keys().next().value!);
    this.#traces.set(id, trace);
  }

  #lost(): undefined {
    this.#deps.metrics.slice('lost');
    return undefined;
  }

  #storeWhileAlive(epoch: Epoch, write: () => Promise<boolean>): Promise<boolean> {
    return this.#retryWhile(() => epoch.alive(), write);
  }

  async #retryWhile(mayRetry: () => boolean, write: () => Promise<boolean>): Promise<boolean> {
    for (;;) {
      if (!mayRetry()) return false;
      try {
        return await write();
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'attempt store does not answer');
        await new Promise<void>((resolve) => this.#deps.timers.after(RETRY_DELAY_MS, resolve));
      }
    }
  }

  async unpublished(id: string): Promise<Publication> {
    const attempt = await this.#deps.store.find(id);
    if (attempt?.state !== 'settled' || !attempt.deferral) return undefined;
    const batch = SendBatch.decode(attempt.deferral.batch);
    return { ...outcomeRecord(batch, batch.slices[0]!, attempt, this.#deps.clock.now()), attemptId: id };
  }
}

const resultOf = (columns: BatchColumns, device: number, result: SendResult, now: number): DeviceResult => ({
  position: columns.positions[device]!,
  platform: columns.platform,
  hour: hourOf(now),
  displayable: bitAt(columns.displayable, device),
  result,
  deadToken: undefined,
  since: undefined,
});

export function pendingOf(
  columns: BatchColumns,
  { first, count }: Slice,
  { results, deferral }: Pick<Claimed, 'results' | 'deferral'>,
): Pending[] {
  const done = answered(results);
  const earlier = new Map<number, Progress>();
  if (deferral) {
    const { positions } = columnsOf(SendBatch.decode(deferral.batch));
    positions.forEach((position, i) => earlier.set(position, deferral.progress[i]!));
  }
  const pending: Pending[] = [];
  for (let device = first; device < first + count; device++) {
    const position = columns.positions[device]!;
    if (!done.has(position)) pending.push({ device, progress: earlier.get(position) ?? untried });
  }
  return pending;
}

export function deferralOf({ batch, columns }: Job, slice: Slice, state: RunState): Deferral {
  const { waiting, blockedUntil, answersUntil } = state;
  const devices = waiting.map(({ device }) => device);
  return {
    batch: SendBatch.encode(pickDevices(batch, columns, slice, devices)).finish(),
    progress: waiting.map(({ progress }) => progress),
    blockedUntil,
    answersUntil,
  };
}

export const deferredOf = ({ owner, round, claimedAt }: Claimed, results: Results, deferral: Deferral): Deferred => ({
  state: 'deferred',
  owner,
  round,
  claimedAt,
  results,
  deferral,
  dueAt: dueOf(deferral),
});

import { localResults, type SendResult } from '@tidings/channels';
import {
  type Addressee,
  answered,
  type BatchColumns,
  bitAt,
  type Claimed,
  columnsOf,
  deferredOutcome,
  type DeviceResult,
  dueOf,
  type HeldBack,
  type Lane,
  LATE_ANSWER_MS,
  messageChunkKey,
  pickDevices,
  type Progress,
  type Deferral,
  type Deferred,
  type Results,
  resultsOf,
  type Settled,
  settledOutcome,
  untried,
  waitOf,
  withoutTokens,
  withResults,
  hourOf,
} from '@tidings/delivery';
import { SendBatch, type Slice, SliceOutcome } from '@tidings/events';
import type { Clock } from '@tidings/kernel';
import type { OutRecord } from '@tidings/streaming';
import { currentTrace, type Trace } from '@tidings/telemetry';
import type { Logger } from 'pino';
import type { AttemptStore } from '../claim/attempts.ts';
import type { Channel, Sender } from '../channels/channel-port.ts';
import { type LaneMetrics, outcomesOf } from '../dispatcher-metrics.ts';
import type { Epoch } from '../claim/worker-lease.ts';
import type { Paces } from '../pace/pace.ts';
import { Tally } from './tally.ts';
import type { SentValuesKeeper } from '../sent/sent-values.ts';
import type { Throttles } from '../throttle/throttles.ts';
import type { Timers } from '../timers.ts';
import { type Pending, type RunState, SOON_MS } from './slice-devices.ts';
import { type RunEnd, SliceRun } from './slice-run.ts';

export interface SendingDeps {
  readonly lane: Lane;
  readonly channel: Channel;
  readonly store: AttemptStore;
  /** Keeps what pushes were rendered from before a slice ends, for the events of subscribers. */
  readonly values: SentValuesKeeper;
  readonly throttles: Throttles;
  readonly paces: Paces;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly metrics: LaneMetrics;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}

/** Deadlines for writing pushes and for awaiting answers, on the timers' clock. */
export interface Budget {
  readonly cutoff: number;
  readonly deadline: number;
}

/** A batch with the common data of its slices. */
export interface Job {
  readonly batch: SendBatch;
  readonly columns: BatchColumns;
  /** The settings of its credential: `<application>/<platform>`, '' without any. */
  readonly credential: string;
  /** The message's time to live for a device of the columns; undefined if it has none. */
  readonly ttlSecondsOf: (device: number) => number | undefined;
  readonly sender: () => Promise<Sender | SendResult>;
  readonly tally: Tally;
}

/** A claimed slice with its send state. */
export interface OpenSlice {
  readonly id: string;
  readonly job: Job;
  readonly slice: Slice;
  readonly attempt: Claimed;
  readonly epoch: Epoch;
  readonly pending: readonly Pending[];
}

/** The outcome to publish, or undefined if another worker has the slice. */
export type Publication = OutcomeRecord | undefined;

/** The record of an outcome, and the tokens that the provider has rejected in it, for a record of their own. */
export interface OutcomeRecord extends OutRecord {
  readonly deadTokens?: Uint8Array;
  /** Whether the slice is settled: no later outcome follows. */
  readonly isSettled: boolean;
  /** The settled slice whose deferral is kept until this is published, if it was deferred: its id. */
  readonly keptFor?: string;
}

/** The end of a run: the outcome to publish, and the run if it still awaits answers. */
export interface Left {
  readonly publication: Publication;
  readonly late?: SliceRun | undefined;
}

/** Delay before a write without an answer is repeated. */
const AGAIN_MS = 200;
/** Maximum number of remembered traces of deferred slices. */
const TRACES_MAX = 1_000;
/** A deferred slice that is delivered again is published as due after this time: the watchdog need not ask sooner. */
const ASK_AGAIN_MS = 60_000;
/** Delay of the watchdog for slices that are held back, or whose devices wait for their turn. */
const HELD_MS = 600_000;

/** Sends claimed slices and stores how they ended. */
export class Sending {
  readonly #deps: SendingDeps;
  /** Traces of slices that were deferred in this process, by slice id. */
  readonly #traces = new Map<string, Trace>();

  constructor(deps: SendingDeps) {
    this.#deps = deps;
  }

  /** The trace in which a slice was deferred; undefined if another process deferred it. */
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
    let sender: Promise<Sender | SendResult> | undefined;
    return {
      batch,
      columns,
      credential: application === '' ? '' : `${application}/${platform}`,
      ttlSecondsOf: (device) => ttls[columns.languages[device]!],
      sender: () => (sender ??= channel.open({ batch: { ...batch, ageSeconds: this.#ageOf(batch) }, columns, lane })),
      tally: new Tally(),
    };
  }

  /** Seconds since the release of a batch's message, in whole minutes: a push that goes out at once keeps the time to live of its request. */
  #ageOf({ releasedAt }: SendBatch): number {
    if (!releasedAt) return 0;
    const minutes = Math.floor((this.#deps.clock.now() - releasedAt.getTime()) / 60_000);
    return Math.max(0, minutes) * 60;
  }

  /** A deferred slice, claimed again, with its stored progress. */
  resumed(id: string, attempt: Claimed, epoch: Epoch): OpenSlice {
    const { batch, progress } = attempt.deferral!;
    const job = this.job(SendBatch.decode(batch));
    const pending = progress.map((each, device) => ({ device, progress: each }));
    return { id, job, slice: job.batch.slices[0]!, attempt, epoch, pending };
  }

  /**
   * Sends a slice. Unanswered devices at the deadline stay with the returned run, which awaits their answers.
   * @param begun receives the run while it can still be cut short
   */
  async send(
    open: OpenSlice,
    sender: Sender,
    options: Budget & { readonly probe: boolean },
    begun: (run: SliceRun) => void,
  ): Promise<Left> {
    const run = this.#runOf(open, sender, options);
    begun(run);
    const end = await run.run();
    const publication = await this.#end(open, end);
    if (publication && run.isLate) return { publication, late: run };
    run.abandon();
    return { publication };
  }

  /** Ends the unanswered devices of a slice without sending. */
  refuse(open: OpenSlice, result: SendResult): Promise<Publication> {
    const now = this.#deps.clock.now();
    const results = open.pending.map(({ device }) => resultOf(open.job.columns, device, result, now));
    return this.#end(open, { lost: false, results, waiting: [], heldUntil: 0, answersUntil: 0 });
  }

  /**
   * Ends the devices that a dead run of a slice may have written, without sending. Devices that were not due in that run go on waiting. The clocks of
   * two processes differ by less than a lease.
   */
  refuseAmbiguous(open: OpenSlice): Promise<Publication> {
    const now = this.#deps.clock.now();
    const isAmbiguous = ({ progress }: Pending): boolean => progress.dueAt <= now + SOON_MS;
    const results = open.pending
      .filter(isAmbiguous)
      .map(({ device }) => resultOf(open.job.columns, device, localResults.unknownOutcome, now));
    const waiting = open.pending.filter((each) => !isAmbiguous(each));
    return this.#end(open, { lost: false, results, waiting, heldUntil: 0, answersUntil: 0 });
  }

  /** Defers a claimed slice that cannot be sent now. */
  hold(open: OpenSlice, why: HeldBack): Promise<Publication> {
    return this.#end(open, { lost: false, ...this.held(open, why) });
  }

  /** The state of the devices of a slice that cannot be sent now. */
  held({ job, attempt, pending }: Pick<OpenSlice, 'job' | 'attempt' | 'pending'>, why: HeldBack): RunState {
    const { clock, channel } = this.#deps;
    const now = clock.now();
    const { batch, columns, ttlSecondsOf } = job;
    const { claimedAt } = attempt;
    const releasedAt = batch.releasedAt?.getTime() ?? claimedAt;
    const times = { now, claimedAt, releasedAt, retryForMs: channel.retries?.forMs };
    const results: DeviceResult[] = [];
    const waiting: Pending[] = [];
    let heldUntil = Infinity;
    for (const { device, progress } of pending) {
      const wait = waitOf(progress, why, { ...times, ttlSeconds: ttlSecondsOf(device) });
      if (wait.result) results.push(resultOf(columns, device, wait.result, now));
      else {
        waiting.push({ device, progress: wait.progress });
        heldUntil = Math.min(heldUntil, wait.until);
      }
    }
    return { results, waiting, heldUntil: waiting.length > 0 ? heldUntil : 0, answersUntil: 0 };
  }

  /**
   * Stores the effect of late answers on a deferred slice; resolves to the outcome to publish, or to undefined if the slice has been claimed since.
   */
  async amend(open: OpenSlice, run: SliceRun): Promise<Publication> {
    const { id, job, slice, attempt } = open;
    const { store, clock, throttles } = this.#deps;
    const state = run.state();
    const giveUpAt = this.#deps.timers.now() + LATE_ANSWER_MS;
    const wanted = (): boolean => this.#deps.timers.now() < giveUpAt;
    const results = withResults(attempt.results, resultsOf(state.results));
    if (state.waiting.length === 0) {
      const settledAt = clock.now();
      const kept = await this.#repeated(wanted, async () => {
        await this.#keepValues(open, state);
        return store.finish(id, attempt, results, settledAt);
      });
      return kept ? { ...this.#settled(open, results, settledAt), keptFor: id } : undefined;
    }
    // The throttle may have been lifted since.
    const heldUntil = throttles.blockedUntil(run.credential) > 0 ? state.heldUntil : 0;
    const deferral = deferralOf(job, slice, { ...state, heldUntil });
    const kept = await this.#repeated(wanted, async () => {
      await this.#keepValues(open, state);
      return store.amend(id, attempt, results, deferral);
    });
    return kept ? this.record(job, slice, deferredOf(attempt, results, deferral)) : undefined;
  }

  #runOf(open: OpenSlice, sender: Sender, options: Budget & { readonly probe: boolean }): SliceRun {
    const { id, job, pending, epoch, attempt } = open;
    const { channel, throttles, paces, clock, timers, random, log, metrics } = this.#deps;
    const { batch, columns, ttlSecondsOf } = job;
    const { claimedAt } = attempt;
    return new SliceRun({
      ...{ batch, columns, pending, sender, epoch, throttles, paces, clock, timers, claimedAt, ttlSecondsOf },
      ...options,
      retries: channel.retries,
      random: random(),
      onFault: (error) => log.error({ slice: id, err: error }, 'rendering a push failed'),
      onAnswer: (ms) => metrics.answered(ms),
    });
  }

  /** Stores how the slice ended; resolves to the outcome to publish. */
  async #end(open: OpenSlice, end: RunEnd): Promise<Publication> {
    const { store, clock, metrics } = this.#deps;
    const { id, attempt, epoch, job, slice } = open;
    if (end.lost) return this.#lost();
    const results = withResults(attempt.results, resultsOf(end.results));
    if (end.waiting.length === 0) {
      const settledAt = clock.now();
      const kept = await this.#keep(epoch, async () => {
        await this.#keepValues(open, end);
        return store.settle(id, attempt, results, settledAt);
      });
      if (!kept) return this.#lost();
      return { ...this.#settled(open, results, settledAt), ...(attempt.deferral && { keptFor: id }) };
    }
    const deferral = deferralOf(job, slice, end);
    const kept = await this.#keep(epoch, async () => {
      await this.#keepValues(open, end);
      return store.defer(id, attempt, results, deferral);
    });
    if (!kept) return this.#lost();
    metrics.slice('deferred');
    job.tally.deferred(end.waiting.length);
    this.#keepTrace(id);
    return this.record(job, slice, deferredOf(attempt, results, deferral));
  }

  /** Called before the result is stored, which states that the values of its devices are kept. */
  #keepValues({ job, slice, attempt }: OpenSlice, { results }: Pick<RunState, 'results'>): Promise<void> {
    const sent = results.filter(({ result }) => result.category === 'SENT');
    const positions = sent.map(({ position }) => position);
    return this.#deps.values.keep({ ...job, slice, round: attempt.round, positions });
  }

  #settled({ job, slice, attempt: { claimedAt } }: OpenSlice, results: Results, settledAt: number): OutcomeRecord {
    const outcomes = outcomesOf(results);
    this.#deps.metrics.settled(outcomes);
    job.tally.settled(outcomes);
    return this.record(job, slice, { state: 'settled', claimedAt, results, settledAt });
  }

  #keepTrace(id: string): void {
    const trace = currentTrace();
    if (!trace) return;
    if (this.#traces.size >= TRACES_MAX) this.#traces.delete(this.#traces.keys().next().value!);
    this.#traces.set(id, trace);
  }

  #lost(): undefined {
    this.#deps.metrics.slice('lost');
    return undefined;
  }

  /** Repeats a write until it is answered, or the lease has expired. */
  #keep(epoch: Epoch, write: () => Promise<boolean>): Promise<boolean> {
    return this.#repeated(() => epoch.alive(), write);
  }

  async #repeated(wanted: () => boolean, write: () => Promise<boolean>): Promise<boolean> {
    for (;;) {
      if (!wanted()) return false;
      try {
        return await write();
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'attempt store does not answer');
        await new Promise<void>((resolve) => this.#deps.timers.after(AGAIN_MS, resolve));
      }
    }
  }

  /** The outcome of a settled slice, from the deferral that is kept until it is published; undefined if it is. */
  async unpublished(id: string): Promise<Publication> {
    const attempt = await this.#deps.store.find(id);
    if (attempt?.state !== 'settled' || !attempt.deferral) return undefined;
    const job = this.job(SendBatch.decode(attempt.deferral.batch));
    return { ...this.record(job, job.batch.slices[0]!, attempt), keptFor: id };
  }

  /** The outcome of a slice that is delivered again: a deferral states when another delivery is useful. */
  again(job: Job, slice: Slice, attempt: Settled | Deferred): OutcomeRecord {
    if (attempt.state === 'settled') return this.record(job, slice, attempt);
    const now = this.#deps.clock.now();
    const dueAt = Math.max(shownDueAt(attempt, now), now + ASK_AGAIN_MS);
    return this.record(job, slice, { ...attempt, dueAt });
  }

  /** The published outcome, the same on each call. */
  record({ batch }: Job, { number }: Slice, attempt: Settled | Deferred): OutcomeRecord {
    const addressee: Addressee = { ...batch, number };
    const now = this.#deps.clock.now();
    const outcome =
      attempt.state === 'settled'
        ? settledOutcome(addressee, attempt.results, new Date(attempt.claimedAt), new Date(attempt.settledAt))
        : deferredOutcome(addressee, new Date(shownDueAt(attempt, now)), new Date(now));
    const { facts, tokens } = withoutTokens(outcome);
    return {
      key: messageChunkKey(batch),
      value: SliceOutcome.encode(facts).finish(),
      isSettled: attempt.state === 'settled',
      ...(tokens && { deadTokens: SliceOutcome.encode(tokens).finish() }),
    };
  }
}

/**
 * When the watchdog may emit a slice again. A held-back slice is resumed when its credential is usable, and one whose devices wait for their turn when
 * they have it: a later time suffices.
 */
const shownDueAt = ({ dueAt, deferral }: Deferred, now: number): number =>
  deferral.heldUntil > 0 || dueAt <= now ? Math.max(dueAt, now + HELD_MS) : dueAt;

const resultOf = (columns: BatchColumns, device: number, result: SendResult, now: number): DeviceResult => ({
  position: columns.positions[device]!,
  platform: columns.platform,
  hour: hourOf(now),
  displayable: bitAt(columns.displayable, device),
  result,
  deadToken: undefined,
  since: undefined,
});

/** The devices of a slice without a result, each with its progress. */
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

/** The deferred devices of a slice in their stored form. */
export function deferralOf({ batch, columns }: Job, slice: Slice, state: RunState): Deferral {
  const { waiting, heldUntil, answersUntil } = state;
  const devices = waiting.map(({ device }) => device);
  return {
    batch: SendBatch.encode(pickDevices(batch, columns, slice, devices)).finish(),
    progress: waiting.map(({ progress }) => progress),
    heldUntil,
    answersUntil,
  };
}

/** The attempt of a slice that was deferred. */
export const deferredOf = ({ owner, round, claimedAt }: Claimed, results: Results, deferral: Deferral): Deferred => ({
  ...{ state: 'deferred', owner, round, claimedAt, results, deferral },
  dueAt: dueOf(deferral),
});

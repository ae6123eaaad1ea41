import {
  type Addressee,
  answered,
  type BatchColumns,
  bitAt,
  chunkKey,
  type Claimed,
  columnsOf,
  deferredOutcome,
  type DeviceResult,
  dueOf,
  localVerdicts,
  pickDevices,
  type Progress,
  type Rest,
  type Resting,
  resultsOf,
  RETRY_FOR_MS,
  type Settled,
  settledOutcome,
  type Verdict,
  withResults,
} from '@tidings/delivery';
import { SendBatch, type Window, WindowOutcome } from '@tidings/events';
import { type Clock, Fault } from '@tidings/kernel';
import type { OutRecord } from '@tidings/streaming';
import { currentTrace, type Trace } from '@tidings/telemetry';
import type { Logger } from 'pino';
import type { AttemptStore } from './attempts.ts';
import type { Channel, Lane, Sender } from './channels/port.ts';
import type { Gates } from './gates.ts';
import { type LaneMetrics, outcomesOf } from './metrics.ts';
import type { Incarnation } from './owners.ts';
import { Tally } from './tally.ts';
import type { Timers } from './timers.ts';
import { type Pending, type RunEnd, WindowRun } from './window-run.ts';

export interface SendingParts {
  readonly lane: Lane;
  readonly channel: Channel;
  readonly store: AttemptStore;
  readonly gates: Gates;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly metrics: LaneMetrics;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}

/** Until when pushes are written, and answers waited for, on the timers' clock. */
export interface Budget {
  readonly cutoff: number;
  readonly deadline: number;
}

/** A batch with what its windows share. */
export interface Job {
  readonly batch: SendBatch;
  readonly columns: BatchColumns;
  readonly sender: () => Promise<Sender | Verdict>;
  readonly tally: Tally;
}

/** A claimed window with what it is sent with. */
export interface OpenWindow {
  readonly id: string;
  readonly job: Job;
  readonly window: Window;
  readonly attempt: Claimed;
  readonly incarnation: Incarnation;
  readonly pending: readonly Pending[];
}

/** The outcome to publish, or nothing: the window is somebody else's. */
export type Publication = OutRecord | undefined;

/** How soon a write is repeated that the store did not answer. */
const AGAIN_MS = 200;
/** How long devices wait whose credential could not be read. */
const UNAVAILABLE_MS = 1_000;
const HOUR_MS = 3_600_000;
/** Windows at rest whose traces are remembered. */
const TRACES_MAX = 1_000;

/** Sends claimed windows and writes down how they ended. */
export class Sending {
  readonly #parts: SendingParts;
  /** Of windows that were put to rest here, while traces are recorded. */
  readonly #traces = new Map<string, Trace>();

  constructor(parts: SendingParts) {
    this.#parts = parts;
  }

  /** Where a window was put to rest; undefined where that was in another process. */
  takeTrace(id: string): Trace | undefined {
    const trace = this.#traces.get(id);
    this.#traces.delete(id);
    return trace;
  }

  job(batch: SendBatch): Job {
    const { channel, lane } = this.#parts;
    const columns = columnsOf(batch);
    let sender: Promise<Sender | Verdict> | undefined;
    return {
      batch,
      columns,
      sender: () => (sender ??= channel.open({ batch, columns, lane })),
      tally: new Tally(),
    };
  }

  async send(open: OpenWindow, budget: Budget): Promise<Publication> {
    let end: RunEnd;
    try {
      const sender = await open.job.sender();
      end = 'category' in sender ? this.#allEnd(open, sender) : await this.#run(open, sender, budget);
    } catch (error) {
      end = this.#failed(open, error);
    }
    return this.#end(open, end);
  }

  /** Ends the unanswered devices of a window without sending. */
  refuse(open: OpenWindow, verdict: Verdict): Promise<Publication> {
    return this.#end(open, this.#allEnd(open, verdict));
  }

  #run({ id, job, pending, incarnation, attempt }: OpenWindow, sender: Sender, budget: Budget): Promise<RunEnd> {
    const { gates, clock, timers, random, log, metrics } = this.#parts;
    const onFault = (error: unknown): void => log.error({ window: id, err: error }, 'a push could not be made');
    const { batch, columns } = job;
    const parts = { batch, columns, pending, sender, incarnation, gates, clock, timers, random, onFault, ...budget };
    const onAnswer = (ms: number): void => metrics.answered(ms);
    return new WindowRun({ ...parts, onAnswer, claimedAt: attempt.claimedAt }).run();
  }

  #allEnd({ job: { columns }, pending }: OpenWindow, verdict: Verdict): RunEnd {
    const hour = Math.floor(this.#parts.clock.now() / HOUR_MS);
    const results = pending.map(({ device }): DeviceResult => ({
      position: columns.positions[device]!,
      platform: columns.platforms[device]!,
      hour,
      displayable: bitAt(columns.displayable, device),
      verdict,
      deadToken: undefined,
      since: undefined,
    }));
    return { lost: false, results, waiting: [] };
  }

  /** What passes is waited for; anything else is a fault of our own, and final (R-P3). */
  #failed(open: OpenWindow, error: unknown): RunEnd {
    const { clock, log } = this.#parts;
    const now = clock.now();
    const passes = Fault.from(error).kind === 'unavailable';
    if (passes && now + UNAVAILABLE_MS <= open.attempt.claimedAt + RETRY_FOR_MS) {
      const dueAt = now + UNAVAILABLE_MS;
      const waiting = open.pending.map(({ device, progress }) => ({ device, progress: { ...progress, dueAt } }));
      return { lost: false, results: [], waiting };
    }
    log.error({ window: open.id, err: error }, 'a window could not be sent');
    return this.#allEnd(open, localVerdicts.internalError);
  }

  /** Writes down how the window ended, and what is to be published of it. */
  async #end(open: OpenWindow, end: RunEnd): Promise<Publication> {
    const { store, clock, metrics } = this.#parts;
    const { id, attempt, incarnation, job, window } = open;
    if (end.lost) return this.#lost();
    const results = withResults(attempt.results, resultsOf(end.results));
    if (end.waiting.length === 0) {
      const settledAt = clock.now();
      const kept = await this.#keep(incarnation, () => store.settle(id, incarnation.id, results, settledAt));
      if (!kept) return this.#lost();
      const outcomes = outcomesOf(results);
      metrics.settled(outcomes);
      job.tally.settled(outcomes);
      return this.record(job, window, { state: 'settled', claimedAt: attempt.claimedAt, results, settledAt });
    }
    const rest = restOf(open, end.waiting);
    const kept = await this.#keep(incarnation, () => store.rest(id, incarnation.id, results, rest));
    if (!kept) return this.#lost();
    metrics.window('deferred');
    job.tally.deferred(end.waiting.length);
    this.#keepTrace(id);
    const dueAt = dueOf(rest);
    return this.record(job, window, { state: 'rest', claimedAt: attempt.claimedAt, results, rest, dueAt });
  }

  #keepTrace(id: string): void {
    const trace = currentTrace();
    if (!trace) return;
    if (this.#traces.size >= TRACES_MAX) this.#traces.delete(this.#traces.keys().next().value!);
    this.#traces.set(id, trace);
  }

  #lost(): undefined {
    this.#parts.metrics.window('lost');
    return undefined;
  }

  /** Repeats a write until it is answered, or the lease is over. */
  async #keep(incarnation: Incarnation, write: () => Promise<boolean>): Promise<boolean> {
    for (;;) {
      if (!incarnation.alive()) return false;
      try {
        return await write();
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'attempts do not answer');
        await new Promise<void>((resolve) => this.#parts.timers.after(AGAIN_MS, resolve));
      }
    }
  }

  /** The outcome as it is published, the same each time. */
  record({ batch }: Job, { w }: Window, attempt: Settled | Resting): OutRecord {
    const addressee: Addressee = { ...batch, w };
    const outcome =
      attempt.state === 'settled'
        ? settledOutcome(addressee, attempt.results, new Date(attempt.claimedAt), new Date(attempt.settledAt))
        : deferredOutcome(addressee, new Date(attempt.dueAt), new Date(this.#parts.clock.now()));
    return {
      key: chunkKey(batch.message, batch.application, batch.chunk),
      value: WindowOutcome.encode(outcome).finish(),
    };
  }
}

const untried: Progress = { tries: 0, dueAt: 0, repaired: false, last: undefined };

/** The devices of a window that have no result, each with how far it came. */
export function pendingOf(columns: BatchColumns, { first, count }: Window, { results, rest }: Claimed): Pending[] {
  const done = answered(results);
  const earlier = new Map<number, Progress>();
  if (rest) {
    const { positions } = columnsOf(SendBatch.decode(rest.batch));
    positions.forEach((position, i) => earlier.set(position, rest.progress[i]!));
  }
  const pending: Pending[] = [];
  for (let device = first; device < first + count; device++) {
    const position = columns.positions[device]!;
    if (!done.has(position)) pending.push({ device, progress: earlier.get(position) ?? untried });
  }
  return pending;
}

function restOf({ job: { batch, columns }, window }: OpenWindow, waiting: readonly Pending[]): Rest {
  const devices = waiting.map(({ device }) => device);
  return {
    batch: SendBatch.encode(pickDevices(batch, columns, window, devices)).finish(),
    progress: waiting.map(({ progress }) => progress),
  };
}

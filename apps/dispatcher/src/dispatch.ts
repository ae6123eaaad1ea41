import { claimed, localVerdicts, meet, noResults, OPEN_WINDOWS, windowId } from '@tidings/delivery';
import type { SendBatch, Window } from '@tidings/events';
import type { OutRecord } from '@tidings/streaming';
import { currentTrace, inSpan, type Trace } from '@tidings/telemetry';
import type { Incarnation, Owners } from './owners.ts';
import { Permits } from './permits.ts';
import {
  type Budget,
  type Job,
  type OpenWindow,
  pendingOf,
  type Publication,
  Sending,
  type SendingParts,
} from './sending.ts';
import { Waking } from './waking.ts';

export interface DispatchParts extends SendingParts {
  readonly owners: Owners;
  /** Resolves when an outcome is durable. */
  readonly publish: (record: OutRecord) => Promise<unknown>;
}

/** Of a handler call that must return within 5 s: until when batches are begun, windows waited for, pushes written, answers awaited. */
const BEGIN_MS = 1_000;
const PERMIT_MS = 2_000;
const CUTOFF_MS = 2_750;
const DEADLINE_MS = 4_000;
const LEASE_PATIENCE_MS = 2_500;
/** Windows that are kept for what arrives. */
const ARRIVALS = 2;

/** One lane of a dispatcher: takes batches, sends their windows, and lets wait what must (sending 4). */
export class Dispatch {
  readonly #parts: DispatchParts;
  readonly #sending: Sending;
  readonly #waking: Waking;
  readonly #permits = new Permits(OPEN_WINDOWS);
  /** Windows in the hands of this worker, whatever its incarnation. */
  readonly #open = new Map<string, Promise<unknown>>();

  constructor(parts: DispatchParts) {
    this.#parts = parts;
    this.#sending = new Sending(parts);
    this.#waking = new Waking({
      ...parts,
      permits: this.#permits,
      sending: this.#sending,
      max: OPEN_WINDOWS - ARRIVALS,
      hold: (id, incarnation, run) => this.#woken(id, incarnation, run),
    });
  }

  /** Begins to look for windows that wait and are due. */
  start(): void {
    this.#waking.start();
  }

  /** Wakes no further window and resolves when none is open. Handler calls are waited for by who made them. */
  stop(): Promise<void> {
    return this.#waking.stop();
  }

  /**
   * Handles batches, in order; resolves to how many of the leading ones are done with: none where no window is free in time.
   * @param traces of the batches, by their index, as far as they have any
   */
  async handle(batches: readonly SendBatch[], traces: readonly (Trace | undefined)[] = []): Promise<number> {
    const { timers } = this.#parts;
    const startedAt = timers.now();
    const late = Promise.withResolvers<void>();
    const cancel = timers.after(PERMIT_MS, late.resolve);
    const budget = { cutoff: startedAt + CUTOFF_MS, deadline: startedAt + DEADLINE_MS };
    const done: Promise<void>[] = [];
    for (const [i, batch] of batches.entries()) {
      if (done.length > 0 && timers.now() - startedAt > BEGIN_MS) break;
      // Together, so that few batches are under way at a time rather than a part of each.
      const windows = Math.min(batch.windows.length, OPEN_WINDOWS);
      if (!(await this.#permits.take(windows, late.promise))) break;
      done.push(this.#batch(batch, windows, budget, traces[i]));
    }
    const ends = await Promise.allSettled(done);
    cancel();
    const failed = ends.findIndex(({ status }) => status === 'rejected');
    if (failed === 0) throw (ends[0] as PromiseRejectedResult).reason;
    return failed < 0 ? done.length : failed;
  }

  /** @param permits taken for the batch: as many as it has windows, or all there are */
  async #batch(batch: SendBatch, permits: number, budget: Budget, trace: Trace | undefined): Promise<void> {
    let job: Job;
    try {
      if (batch.windows.length > permits) throw new RangeError(`batch ${batch.message}: too many windows`);
      job = this.#sending.job(batch);
    } catch (error) {
      for (let i = 0; i < permits; i++) this.#permits.release();
      throw error;
    }
    this.#parts.metrics.batch(job.columns.devices);
    const attributes = { 'tidings.devices': job.columns.devices, 'tidings.windows': batch.windows.length };
    await inSpan(`dispatch ${batch.channel}`, { of: [trace, currentTrace()], attributes }, async (span) => {
      const windows = batch.windows.map((window) => this.#arriving(job, window, budget));
      const ends = await Promise.allSettled(windows);
      span.setAttributes(job.tally.attributes);
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed) throw failed.reason;
    });
  }

  /** A window that a batch brings, with its permit, to its published outcome. */
  async #arriving(job: Job, window: Window, budget: Budget): Promise<void> {
    const id = windowId({ ...job.batch, w: window.w });
    // Whoever has it in hand publishes what becomes of it.
    if (this.#open.has(id)) this.#permits.release();
    else await this.#publish(await this.#holding(id, () => this.#meet(id, job, window, budget)));
  }

  /** A window that waited, claimed by this worker: it comes into its hands as soon as an arrival of the same lets go of it. */
  async #woken(id: string, incarnation: Incarnation, run: () => Promise<Publication>): Promise<void> {
    while (this.#open.has(id)) await this.#open.get(id);
    await this.#publish(await this.#holding(id, () => this.#as(incarnation, run)));
  }

  async #publish(publication: Publication): Promise<void> {
    if (publication) await this.#parts.publish(publication);
  }

  /** Runs with the window in hand, then gives its permit back. */
  async #holding(id: string, run: () => Promise<Publication>): Promise<Publication> {
    const closed = Promise.withResolvers<void>();
    this.#open.set(id, closed.promise);
    this.#parts.metrics.open(this.#permits.used);
    try {
      return await run();
    } finally {
      this.#open.delete(id);
      this.#permits.release();
      this.#parts.metrics.open(this.#permits.used);
      closed.resolve();
    }
  }

  async #meet(id: string, job: Job, window: Window, budget: Budget): Promise<Publication> {
    const incarnation = await this.#parts.owners.ready(LEASE_PATIENCE_MS);
    return this.#as(incarnation, async () => {
      const { store, lane, clock } = this.#parts;
      const mine = claimed(incarnation.id, clock.now(), noResults);
      const before = await store.claim(id, lane, mine);
      const isHeld = before?.state === 'claimed' && (await this.#isHeld(id, before.owner));
      const meeting = meet(before, mine, isHeld);
      switch (meeting.do) {
        case 'drop':
          return undefined;
        case 'publish':
          return this.#sending.record(job, window, meeting.attempt);
        case 'send':
          return this.#sending.send(openWindow(id, job, window, meeting.attempt, incarnation), budget);
        case 'takeOver':
          return this.#takeOver(openWindow(id, job, window, meeting.attempt, incarnation), budget);
      }
    });
  }

  /**
   * Runs as an incarnation, and counts the window as its: a retired one keeps its lease as long as it has any. A run that fails leaves a
   * claim behind, which must not look alive for as long as this worker lives.
   */
  async #as(incarnation: Incarnation, run: () => Promise<Publication>): Promise<Publication> {
    incarnation.open++;
    try {
      return await run();
    } catch (error) {
      this.#parts.owners.retire(incarnation);
      throw error;
    } finally {
      incarnation.open--;
    }
  }

  /** Whether a claim is in good hands. One of this worker's own is not, unless it is just waking: nothing else of it is open here. */
  async #isHeld(id: string, owner: string): Promise<boolean> {
    const { owners } = this.#parts;
    if (owners.isOwn(owner)) return this.#waking.mayHave(id);
    return (await owners.alive([owner])).has(owner);
  }

  /** Its worker died between claim and settlement: the unanswered devices may have been sent to. */
  async #takeOver(open: OpenWindow, budget: Budget): Promise<Publication> {
    const { id, attempt, incarnation, job } = open;
    const { store, metrics } = this.#parts;
    const taken = await store.takeOver(id, attempt.owner, incarnation.id);
    if (!taken) return undefined;
    metrics.window('taken_over');
    const mine = { ...open, attempt: taken };
    return job.batch.atMostOnce
      ? this.#sending.refuse(mine, localVerdicts.unknownOutcome)
      : this.#sending.send(mine, budget);
  }
}

const openWindow = (
  id: string,
  job: Job,
  window: Window,
  attempt: OpenWindow['attempt'],
  incarnation: Incarnation,
): OpenWindow => ({ id, job, window, attempt, incarnation, pending: pendingOf(job.columns, window, attempt) });

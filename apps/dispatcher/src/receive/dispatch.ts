import { channelServing } from '@tidings/channels';
import {
  CUTOFF_MS,
  DEADLINE_MS,
  type WaitReason,
  LATE_ANSWER_MS,
  longestWaitMs,
  messageIn,
  OPEN_DEVICES,
  READY_MS,
  SLOTS_MS,
  sliceId,
} from '@tidings/delivery';
import type { SendBatch, Slice } from '@tidings/events';
import { currentTrace, inSpan, type Trace } from '@tidings/telemetry';
import { Admission, type CredentialState } from './batch-admission.ts';
import type { Deferred } from '../attempts/attempts.ts';
import type { Sender } from '../channels/channel-port.ts';
import { PendingLeases } from '../claim/pending-leases.ts';
import { Claims, type Run } from '../claim/claims.ts';
import { DeviceSlots, SliceSlots } from './device-slots.ts';
import { LateAnswers } from '../send/late-answers.ts';
import type { OutcomeRecord } from '../send/outcome-records.ts';
import { OutcomePublisher } from '../send/outcome-publisher.ts';
import { ProgressRecorder } from '../send/progress-recorder.ts';
import type { Epoch, WorkerLease } from '../attempts/worker-lease.ts';
import type { RecheckContacts } from '../retry/recheck-contacts.ts';
import { RetryScheduler } from '../retry/retry-scheduler.ts';
import { type Budget, type Job, type OpenSlice, type Publication, Sending, type SendingDeps } from '../send/sending.ts';
import type { RunEnd, SliceRun } from '../send/slice-run.ts';

export interface DispatchDeps extends Omit<SendingDeps, 'onDeferred'> {
  readonly workerLease: WorkerLease;
  readonly publish: (record: OutcomeRecord) => Promise<unknown>;
  readonly recheckContacts?: RecheckContacts | undefined;
}

const RESUMED_READY_MS = 100;
const TURN_MS = 1_000;
const RECHECK_DELAY_MS = 5_000;
const CLOSING_MS = 10_000;
const LAST_WRITE_MS = 2_000;

export class Dispatch {
  readonly #deps: DispatchDeps;
  readonly #sending: Sending;
  readonly #publisher: OutcomePublisher;
  readonly #progress: ProgressRecorder;
  readonly #claims: Claims;
  readonly #pendingLeases: PendingLeases;
  readonly #admission: Admission;
  readonly #slots: DeviceSlots;
  readonly #scheduler: RetryScheduler;
  readonly #open = new Map<string, Promise<unknown>>();
  readonly #late = new Map<string, LateAnswers>();
  readonly #runs = new Map<string, Set<SliceRun>>();
  #lateEnded: () => void = () => undefined;

  constructor(deps: DispatchDeps) {
    this.#deps = deps;
    const { lane, store, workerLease, clock, timers, throttles, log, channel } = deps;
    const onDeferred = (dueAt: number): void => this.#scheduler.resumeAt(dueAt);
    this.#sending = new Sending({ ...deps, onDeferred });
    this.#publisher = new OutcomePublisher(deps);
    this.#progress = new ProgressRecorder(deps);
    this.#pendingLeases = new PendingLeases({ workerLease, timers, log });
    this.#claims = new Claims({
      ...deps,
      sending: this.#sending,
      onDeferred,
      onClaimedElsewhere: (job, slice, owner) => this.#awaitLease(job, slice, owner),
    });
    this.#slots = new DeviceSlots({
      total: OPEN_DEVICES,
      share: OPEN_DEVICES / 4,
      timers,
      onPressure: (credential) => this.#runs.get(credential)?.forEach((run) => run.cut()),
    });
    this.#admission = new Admission({
      throttles,
      clock,
      timers,
      onReady: (credentials) => this.#scheduler.makeDue(credentials),
      onError: (credential, error) => log.warn({ reference: credential, err: error }, 'credential not usable'),
    });
    this.#scheduler = new RetryScheduler({
      lane,
      store,
      workerLease,
      clock,
      timers,
      log,
      longestWaitMs: longestWaitMs(channel.retries),
      answersForMs: channel.answersForMs ?? LATE_ANSWER_MS,
      blockedCredentials: () => [...this.#admission.blockedCredentials(), ...this.#slots.saturated()],
      endedThrottles: () => throttles.ended(),
      nextThrottleEnd: () => throttles.nextEnd(),
      needsProbe: (credential) => this.#admission.needsProbe(credential),
      resume: (due, epoch, from) => this.#resume(due, epoch, from),
      publish: (id) => this.#publishSettled(id),
    });
    deps.stops.follow({
      stopped: () => this.#recheckStopped(),
      madeDue: () => this.#scheduler.wake(),
    });
  }

  #recheckStopped(): void {
    for (const runs of this.#runs.values()) for (const run of runs) run.stop();
    for (const late of this.#late.values()) late.stopRun();
  }

  get late(): number {
    return this.#late.size;
  }

  blockedCredentials(): string[] {
    return this.#admission.blockedCredentials();
  }

  makeDue(credentials: readonly string[]): void {
    this.#scheduler.makeDue(credentials);
  }

  credentials(): CredentialState[] {
    return this.#admission.states();
  }

  forget(application: string): void {
    this.#admission.forget(application);
  }

  start(): void {
    this.#scheduler.start();
  }

  async stop(): Promise<void> {
    this.#publisher.stop();
    await this.#pendingLeases.stop();
    await this.#scheduler.stop();
    await this.#progress.idle();
    if (this.#late.size === 0) return;
    const over = Promise.withResolvers<void>();
    this.#lateEnded = () => void (this.#late.size === 0 && over.resolve());
    const cancel = this.#deps.timers.after(CLOSING_MS, over.resolve);
    await over.promise;
    cancel();
    await this.#storeLate();
  }

  async #storeLate(): Promise<void> {
    const open = [...this.#late.values()];
    const over = Promise.withResolvers<void>();
    const cancel = this.#deps.timers.after(LAST_WRITE_MS, over.resolve);
    await Promise.race([Promise.all(open.map((late) => late.stop())), over.promise]);
    cancel();
    for (const late of open) late.abandon();
  }

  /** Resolves to the number of leading batches that are done. */
  async handle(batches: readonly SendBatch[], traces: readonly (Trace | undefined)[] = []): Promise<number> {
    const ends = await this.#withinBudget((budget, late) =>
      Promise.allSettled(batches.map((batch, i) => this.#batch(batch, budget, late, traces[i]))),
    );
    const open = ends.findIndex((end) => end.status === 'rejected' || !end.value);
    const first = ends[open];
    if (open === 0 && first?.status === 'rejected') throw first.reason;
    return open < 0 ? ends.length : open;
  }

  async #withinBudget<T>(run: (budget: Budget, late: Promise<void>) => Promise<T>): Promise<T> {
    const { timers } = this.#deps;
    const now = timers.now();
    const late = Promise.withResolvers<void>();
    const cancel = timers.after(SLOTS_MS, late.resolve);
    return run({ cutoff: now + CUTOFF_MS, deadline: now + DEADLINE_MS }, late.promise).finally(cancel);
  }

  #awaitLease({ batch }: Job, slice: Slice, owner: string): void {
    const id = sliceId({ ...batch, number: slice.number });
    const retry = (): Promise<boolean> =>
      this.#withinBudget((budget, late) => this.#handleSlice(this.#sending.job(batch), slice, budget, late));
    this.#pendingLeases.add({ id, owner, devices: slice.count, retry });
  }

  async #batch(batch: SendBatch, budget: Budget, late: Promise<void>, trace: Trace | undefined): Promise<boolean> {
    const job = this.#sending.job(batch);
    if (job.columns.devices > OPEN_DEVICES) throw new RangeError(`batch ${batch.message}: too many devices`);
    this.#deps.metrics.batch(job.columns.devices);
    const attributes = { 'tidings.devices': job.columns.devices, 'tidings.slices': batch.slices.length };
    return inSpan(`dispatch ${channelServing(batch)}`, { of: [trace, currentTrace()], attributes }, async (span) => {
      const ends = await Promise.allSettled(batch.slices.map((slice) => this.#handleSlice(job, slice, budget, late)));
      span.setAttributes(job.tally.attributes);
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed) throw failed.reason;
      return ends.every((end) => end.status === 'fulfilled' && end.value);
    });
  }

  async #handleSlice(job: Job, slice: Slice, budget: Budget, late: Promise<void>): Promise<boolean> {
    if (job.batch.outcomesAgain) {
      await this.#publisher.tryPublish(await this.#claims.repeatedOutcome(job, slice));
      return true;
    }
    const id = sliceId({ ...job.batch, number: slice.number });
    // Another call has the slice in hand, and publishes its outcome.
    if (this.#open.has(id)) return true;
    return this.#whileOpen(id, async () => {
      if (await this.#isStopped(job.batch.message)) return this.#endStopped(job, slice);
      const ready = await this.#ready(job, READY_MS);
      if (ready.do === 'end') return this.#end(job, slice, (open) => this.#sending.refuse(open, ready.result));
      if (ready.do === 'wait') return this.#defer(job, slice, ready.reason);
      const { credential } = job;
      if (!(await this.#slots.take(credential, slice.count, late))) {
        if (!this.#slots.isSaturated(credential)) return false;
        return this.#defer(job, slice, this.#turnReason());
      }
      const slots = new SliceSlots(slice.count, (count) => this.#slots.release(credential, count));
      const run: Run = (open) => this.#send(open, { sender: ready.sender, slots, ...budget });
      const publication = await this.#claims.claim(job, slice, run).finally(() => slots.close());
      await this.#publisher.tryPublish(publication);
      return true;
    });
  }

  async #isStopped(message: string): Promise<boolean> {
    const { stops } = this.#deps;
    if (!stops.isFresh) await stops.refresh();
    return stops.has(message);
  }

  #turnReason(): WaitReason {
    return { by: 'turn', until: this.#deps.clock.now() + TURN_MS };
  }

  async #ready(job: Job, timeoutMs: number): ReturnType<Admission['ready']> {
    const ready = await this.#admission.ready(job, timeoutMs);
    if (ready.do !== 'send') return ready;
    const { throttles } = this.#deps;
    const { credential, settings } = ready.sender;
    if (throttles.needsProbe(credential) || throttles.isOutdated(credential, settings)) return ready;
    const until = throttles.blockedUntil(credential);
    return until > 0 ? { do: 'wait', reason: { by: 'throttle', until } } : ready;
  }

  async #resume({ id, credential, devices }: Deferred, epoch: Epoch, from?: string): Promise<void> {
    while (this.#open.has(id)) await this.#open.get(id);
    await this.#whileOpen(id, async () => {
      const slots = (await this.#isStopped(messageIn(id)))
        ? new SliceSlots(0, () => undefined)
        : await this.#takeSlots(credential, devices);
      if (!slots) return;
      try {
        await this.#publisher.publishWithRetries(
          await this.#claims.runInEpoch(epoch, () => this.#claimAndSend(id, epoch, slots, from)),
        );
      } finally {
        slots.close();
      }
    });
  }

  async #takeSlots(credential: string, devices: number): Promise<SliceSlots | undefined> {
    const late = Promise.withResolvers<void>();
    const cancel = this.#deps.timers.after(SLOTS_MS, late.resolve);
    const hasSlots = await this.#slots.take(credential, devices, late.promise);
    cancel();
    return hasSlots ? new SliceSlots(devices, (count) => this.#slots.release(credential, count)) : undefined;
  }

  async #publishSettled(id: string): Promise<void> {
    if (this.#open.has(id) || this.#late.has(id)) return;
    await this.#publisher.tryPublish(await this.#sending.unpublished(id));
  }

  async #claimAndSend(id: string, epoch: Epoch, slots: SliceSlots, from?: string): Promise<Publication> {
    const { store, clock, metrics } = this.#deps;
    const attempt = await (from === undefined
      ? store.resume(id, epoch.id, clock.now())
      : store.takeOver(id, from, epoch.id));
    if (!attempt) return undefined;
    this.#late.get(id)?.abandon();
    const claimed = this.#sending.resumed(id, attempt, epoch);
    const resumed = from === undefined ? claimed : this.#sending.takenOver(claimed);
    const { job } = resumed;
    if (from !== undefined) metrics.slice('taken_over');
    if (this.#deps.stops.has(job.batch.message)) return this.#sending.refuseStopped(resumed);
    if (from !== undefined && job.batch.atMostOnce) return this.#sending.refuseAmbiguous(resumed);
    const options = { of: [this.#sending.takeTrace(id)], attributes: { 'tidings.devices': resumed.pending.length } };
    return inSpan(`resume ${channelServing(job.batch)}`, options, async (span) => {
      const ready = await this.#ready(job, RESUMED_READY_MS);
      const publication = await (ready.do === 'end'
        ? this.#sending.refuse(resumed, ready.result)
        : ready.do === 'wait'
          ? this.#sending.defer(resumed, ready.reason)
          : this.#recheckAndSend(resumed, ready.sender, slots));
      span.setAttributes(job.tally.attributes);
      return publication;
    });
  }

  async #recheckAndSend(open: OpenSlice, sender: Sender, slots: SliceSlots): Promise<Publication> {
    const { clock, timers, log, recheckContacts } = this.#deps;
    let rechecked = open;
    try {
      if (recheckContacts) rechecked = await recheckContacts(open);
    } catch (error) {
      log.warn({ slice: open.id, err: error }, 'comparing a deferred slice again failed');
      return this.#sending.defer(open, { by: 'turn', until: clock.now() + RECHECK_DELAY_MS });
    }
    const now = timers.now();
    return this.#send(rechecked, { sender, slots, cutoff: now + CUTOFF_MS, deadline: now + DEADLINE_MS });
  }

  async #whileOpen<T>(id: string, run: () => Promise<T>): Promise<T> {
    const closed = Promise.withResolvers<void>();
    this.#open.set(id, closed.promise);
    this.#deps.stops.begin();
    this.#measure();
    try {
      return await run();
    } finally {
      this.#open.delete(id);
      this.#deps.stops.end();
      this.#measure();
      closed.resolve();
    }
  }

  #measure(): void {
    this.#deps.metrics.open(this.#open.size, this.#slots.used);
  }

  #defer(job: Job, slice: Slice, reason: WaitReason): Promise<true> {
    if (this.#deps.stops.has(job.batch.message)) return this.#endStopped(job, slice);
    return this.#end(job, slice, (open) => this.#sending.defer(open, reason), reason);
  }

  #endStopped(job: Job, slice: Slice): Promise<true> {
    return this.#end(job, slice, (open) => this.#sending.refuseStopped(open));
  }

  async #end(job: Job, slice: Slice, run: Run, reason?: WaitReason): Promise<true> {
    await this.#publisher.tryPublish(await this.#claims.claim(job, slice, run, reason));
    return true;
  }

  async #send(open: OpenSlice, { sender, slots, cutoff, deadline }: SendContext): Promise<Publication> {
    const { throttles, timers, log } = this.#deps;
    const { id } = open;
    const passage = await throttles.pass(sender.credential, sender.settings);
    if (typeof passage === 'object') return this.#sending.defer(open, { by: 'throttle', until: passage.until });
    const onAnswer = (): void => this.#progress.answered();
    const run = this.#sending.runOf(open, sender, { cutoff, deadline, probe: passage === 'probe', onAnswer });
    const end = await this.#trackRun(open, run);
    const { publication, late } = await this.#sending.conclude(open, run, end);
    if (!late) return publication;
    let amended: Publication;
    const answers = new LateAnswers({
      run,
      timers,
      log,
      until: timers.now() + run.answersForMs,
      write: async (last) => {
        amended = await this.#sending.amend(open, late);
        if (last) await this.#publisher.publishWithRetries(amended);
        return amended !== undefined;
      },
      publish: () => this.#publisher.tryPublish(amended),
      release: (count) => slots.release(count),
      onEnd: () => {
        if (this.#late.get(id) === answers) this.#late.delete(id);
        slots.release(Infinity);
        this.#lateEnded();
      },
    });
    slots.retain(run.outstanding);
    this.#late.set(id, answers);
    answers.start();
    return publication;
  }

  async #trackRun(open: OpenSlice, run: SliceRun): Promise<RunEnd> {
    const { credential } = open.job;
    const runs = this.#runs.get(credential) ?? new Set();
    this.#runs.set(credential, runs.add(run));
    const recorded = this.#sending.recorded(open, run, (part) => this.#publisher.tryPublish(part));
    // A single device ends its slice with its answer.
    const ended = open.pending.length > 1 ? this.#progress.begin(recorded) : undefined;
    const end = await run.run();
    ended?.();
    runs.delete(run);
    if (runs.size === 0 && this.#runs.get(credential) === runs) this.#runs.delete(credential);
    return end;
  }
}

interface SendContext extends Budget {
  readonly sender: Sender;
  readonly slots: SliceSlots;
}

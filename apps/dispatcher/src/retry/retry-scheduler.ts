import type { Lane } from '@tidings/delivery';
import { type Clock, CLOCKS_AGREE_MS, clockSteps, ShiftedClock, steadyTime } from '@tidings/kernel';
import type { Logger } from 'pino';
import type { AttemptStore, Deferred, Due } from '../attempts/attempts.ts';
import type { Epoch, WorkerLease } from '../attempts/worker-lease.ts';
import { type Timers, msToNextMultiple } from '../timers.ts';

export interface RetrySchedulerOptions {
  readonly lane: Lane;
  readonly store: AttemptStore;
  readonly workerLease: WorkerLease;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
  readonly longestWaitMs: number;
  readonly answersForMs: number;
  readonly blockedCredentials: () => readonly string[];
  readonly endedThrottles: () => readonly { readonly reference: string; readonly until: number }[];
  /** Milliseconds of the business clock; Infinity = none. */
  readonly nextThrottleEnd: () => number;
  readonly needsProbe: (credential: string) => boolean;
  readonly resume: (due: Deferred, epoch: Epoch, from?: string) => Promise<void>;
  readonly publish: (id: string) => Promise<void>;
}

/** Also the look-ahead: slices due before the next poll are resumed on time, those of other processes late by as much. */
const POLL_MS = 5_000;
/** Connections recover in real time, wherever a test clock is set. */
const LEAP_MS = 500;
const RETRY_POLL_MS = 1_000;
const MIN_PAUSE_MS = 50;
const MAX = 64;
const SHARE = MAX / 4;
const QUERY_LIMIT = 32;
const PAST_EVERY_MS = 200;
const MAX_QUERIES_PAST = 8;
/** Less than the time between two polls, which varies. */
const ORPHANS_EVERY_MS = 4_000;
const ORPHANS_LIMIT = 256;
const PAUSED_MS = 5_000;
const STEPS_EVERY_MS = 4_000;
/** Slices may have been stored during a step back. */
const LATE_WRITES_MS = [1_000, 5_000, 15_000, 30_000];
const PROBE_INTERVAL_MS = 10_000;

export class RetryScheduler {
  readonly #options: RetrySchedulerOptions;
  readonly #runs = new Map<string, string | undefined>();
  readonly #ends = new Set<Promise<void>>();
  readonly #probes = new Map<string, { readonly until: number; readonly requestedAt: number }>();
  #orphansAt = -Infinity;
  #pastAt = -Infinity;
  readonly #step: () => number;
  #laterThanMs: number | undefined;
  #setBack: { readonly at: number; readonly byMs: number; readonly checks: number } | undefined;
  #setForwardAt: number;
  #noticedAt: number;
  #checkedAheadAt = -Infinity;
  #share = MAX;
  #polling = false;
  #pollAt = Infinity;
  #polled: Promise<void> = Promise.resolve();
  #makingDue: Promise<void> = Promise.resolve();
  #stopped = false;
  #cancel: () => void = () => undefined;
  #unwatch: () => void = () => undefined;

  constructor(options: RetrySchedulerOptions) {
    this.#options = options;
    this.#step = clockSteps(options.clock);
    this.#setForwardAt = this.#noticedAt = options.timers.now();
  }

  start(): void {
    const { clock } = this.#options;
    if (clock instanceof ShiftedClock) this.#unwatch = clock.onAdvance(() => this.#schedule(LEAP_MS));
    this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unwatch();
    this.#cancel();
    await this.#polled;
    await this.#makingDue;
    while (this.#ends.size > 0) await Promise.allSettled(this.#ends);
  }

  makeDue(credentials: readonly string[]): void {
    const { store, lane, clock, log } = this.#options;
    if (this.#stopped || credentials.length === 0) return;
    this.#makingDue = this.#makingDue
      .then(() => store.makeDue(lane, credentials, clock.now()))
      .then(
        () => this.#schedule(0),
        (error: unknown) => log.warn({ err: error }, 'making deferred slices due failed'),
      );
  }

  wake(): void {
    this.#schedule(0);
  }

  resumeAt(dueAt: number): void {
    const { clock, nextThrottleEnd } = this.#options;
    this.#schedule(Math.max(MIN_PAUSE_MS, Math.min(dueAt, nextThrottleEnd()) - clock.now()));
  }

  #schedule(ms: number): void {
    const { timers } = this.#options;
    const at = timers.now() + ms;
    if (at >= this.#pollAt) return;
    this.#pollAt = at;
    if (!this.#polling) this.#wait();
  }

  #wait(): void {
    const { timers } = this.#options;
    this.#cancel();
    if (!this.#stopped) this.#cancel = timers.after(Math.max(0, this.#pollAt - timers.now()), () => this.#begin());
  }

  #begin(): void {
    if (!this.#polling) this.#polled = this.#poll();
  }

  async #poll(): Promise<void> {
    this.#polling = true;
    this.#pollAt = Infinity;
    let next = POLL_MS;
    try {
      next = await this.#takeDue();
    } catch (error) {
      next = RETRY_POLL_MS;
      this.#options.log.warn({ err: error }, 'reading deferred slices failed');
    } finally {
      this.#polling = false;
      this.#schedule(next);
      this.#wait();
    }
  }

  async #takeDue(): Promise<number> {
    const { workerLease, store, lane, clock, timers, blockedCredentials, nextThrottleEnd } = this.#options;
    this.#noticeStep();
    const epoch = workerLease.current();
    const room = MAX - this.#runs.size;
    if (!epoch || room === 0) return msToNextMultiple(POLL_MS, timers);
    await this.#applyStepsBack();
    await this.#requestProbes();
    // Slices in hand may be found again.
    const limit = Math.min(room, QUERY_LIMIT) + this.#runs.size;
    this.#noticeStep();
    const now = clock.now();
    const except = blockedCredentials();
    const found = await store.due(lane, now + POLL_MS, limit, except);
    const due = found.filter((each) => each.dueAt <= now && !this.#isEarly(each));
    const isFull = due.length === limit;
    if (!isFull) this.#share = MAX;
    let taken = isFull ? await this.#takePast(due, room, { except, now, epoch }) : 0;
    taken += this.#takeAll(due, room - taken, (each) => this.#take(each, epoch));
    if (taken < room) await this.#takeOrphans(room - taken, epoch);
    if (taken > 0 && isFull) return 0;
    const later = found.find(({ dueAt }) => dueAt > now);
    const next = Math.min((later?.dueAt ?? Infinity) - now, nextThrottleEnd() - now);
    return Math.max(MIN_PAUSE_MS, Math.min(msToNextMultiple(POLL_MS, timers), next));
  }

  /** One credential's slices, due after a throttle, must not delay the others. */
  async #takePast(
    due: readonly Due[],
    room: number,
    { except, now, epoch }: { readonly except: readonly string[]; readonly now: number; readonly epoch: Epoch },
  ): Promise<number> {
    const { store, lane, timers } = this.#options;
    if (timers.now() - this.#pastAt < PAST_EVERY_MS) return 0;
    this.#pastAt = timers.now();
    const excluded = new Set(except);
    let page = due;
    let taken = 0;
    this.#share = MAX;
    for (let queries = 0; queries < MAX_QUERIES_PAST && page.length >= QUERY_LIMIT && taken < room; queries++) {
      for (const { credential } of page) excluded.add(credential);
      page = (await store.due(lane, now, QUERY_LIMIT, [...excluded])).filter((each) => !this.#isEarly(each));
      if (page.length > 0) this.#share = SHARE;
      taken += this.#takeAll(page, room - taken, (each) => this.#take(each, epoch));
    }
    return taken;
  }

  #takeAll<D extends Deferred>(found: readonly D[], room: number, take: (due: D) => void): number {
    let taken = 0;
    for (const due of found) {
      if (this.#stopped || taken === room) break;
      const { id, credential } = due;
      if (this.#runs.has(id) || this.#isProbing(credential) || this.#runsOf(credential) >= this.#share) continue;
      taken++;
      take(due);
    }
    return taken;
  }

  #runsOf(credential: string): number {
    let count = 0;
    for (const each of this.#runs.values()) if (each === credential) count++;
    return count;
  }

  #noticeStep(): void {
    const step = this.#step();
    const now = this.#options.timers.now();
    if (step < 0) {
      this.#laterThanMs = 0;
      this.#setBack = { at: now, byMs: -step, checks: 0 };
    } else if (step > 0) this.#setBack = undefined;
    this.#checkLateWrites(now);
    if (step > 0 || now - this.#noticedAt > PAUSED_MS) this.#setForwardAt = now;
    this.#noticedAt = now;
  }

  #checkLateWrites(now: number): void {
    if (!this.#setBack) return;
    const { at, byMs, checks } = this.#setBack;
    const aheadMs = byMs - CLOCKS_AGREE_MS - (now - at);
    if (checks === LATE_WRITES_MS.length || aheadMs <= 0) this.#setBack = undefined;
    else if (now >= at + LATE_WRITES_MS[checks]!) {
      this.#laterThanMs = Math.min(this.#laterThanMs ?? Infinity, aheadMs);
      this.#setBack = { at, byMs, checks: checks + 1 };
    }
  }

  /** Answers may still come, although a clock that was set forward has passed their time. */
  #isEarly({ awaitsAnswers }: Due): boolean {
    const { timers, answersForMs } = this.#options;
    return awaitsAnswers && timers.now() - this.#setForwardAt < answersForMs;
  }

  /** Deferrals from before the clock was set back would wait as long as the step. */
  async #applyStepsBack(): Promise<void> {
    const { store, lane, clock, timers, longestWaitMs, answersForMs } = this.#options;
    const isSetBack = this.#laterThanMs !== undefined;
    if (!isSetBack && timers.now() - this.#checkedAheadAt < STEPS_EVERY_MS) return;
    const now = clock.now();
    const beyond = now + (this.#laterThanMs ?? longestWaitMs + CLOCKS_AGREE_MS);
    await store.dueAgain(lane, { beyond, now, answersForMs });
    this.#laterThanMs = undefined;
    this.#checkedAheadAt = timers.now();
  }

  async #requestProbes(): Promise<void> {
    const { store, lane, clock, endedThrottles } = this.#options;
    const ended = endedThrottles();
    const references = new Set(ended.map(({ reference }) => reference));
    for (const reference of this.#probes.keys()) if (!references.has(reference)) this.#probes.delete(reference);
    const now = steadyTime(clock);
    for (const { reference, until } of ended) {
      const request = this.#probes.get(reference);
      if (request?.until === until && now - request.requestedAt < PROBE_INTERVAL_MS) continue;
      this.#probes.set(reference, { until, requestedAt: now });
      await store.makeOneDue(lane, reference, clock.now());
    }
  }

  /** A claim that is not in hand is an orphan, too: its answer was lost. */
  async #takeOrphans(room: number, epoch: Epoch): Promise<void> {
    const { store, workerLease, lane, timers } = this.#options;
    const now = timers.now();
    if (now - this.#orphansAt < ORPHANS_EVERY_MS) return;
    this.#orphansAt = now;
    const running = new Set(this.#runs.keys());
    const found = (await store.unpublished(lane, ORPHANS_LIMIT)).filter(({ id }) => !running.has(id));
    const others = new Set(found.map(({ owner }) => owner).filter((owner) => !workerLease.isOwn(owner)));
    const alive = await workerLease.alive([...others]);
    const orphans = found.filter(({ owner }) => !alive.has(owner));
    const settled = orphans.filter(({ isSettled }) => isSettled).slice(0, room);
    for (const { id } of settled) this.#publish(id);
    const open = orphans.filter(({ isSettled }) => !isSettled);
    this.#takeAll(open, room - settled.length, (orphan) => this.#take(orphan, epoch, orphan.owner));
  }

  #isProbing(credential: string): boolean {
    return this.#options.needsProbe(credential) && this.#runsOf(credential) > 0;
  }

  #take(due: Deferred, epoch: Epoch, from?: string): void {
    const { resume, workerLease, log } = this.#options;
    const run = resume(due, epoch, from).catch((error: unknown) => {
      workerLease.retire(epoch);
      log.warn({ slice: due.id, err: error }, 'resuming a deferred slice failed');
    });
    this.#track(due.id, due.credential, run);
  }

  #publish(id: string): void {
    const { publish, log } = this.#options;
    const run = publish(id).catch((error: unknown) =>
      log.warn({ slice: id, err: error }, 'an outcome was not published'),
    );
    this.#track(id, undefined, run);
  }

  #track(id: string, credential: string | undefined, run: Promise<void>): void {
    this.#runs.set(id, credential);
    const end = run.finally(() => {
      this.#runs.delete(id);
      this.#ends.delete(end);
      this.#schedule(0);
    });
    this.#ends.add(end);
  }
}

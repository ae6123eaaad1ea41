import { setTimeout as delay } from 'node:timers/promises';
import { isFlood } from '@tidings/http2';
import { steadyTime, trustedTime } from '@tidings/kernel';
import type { Made } from '../events/make.ts';
import { webhooksLogOf } from '../webhook-log.ts';
import { parseEndpoint, withoutQuery } from '../subscriptions/endpoint.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import { Deferral } from './deferred/deferral.ts';
import { DeferredEvents } from './deferred/deferred-events.ts';
import { Feed } from './feed.ts';
import { FailingSubscriber } from './failing-subscriber.ts';
import { type Link, type LinkListener, reasonOf } from './links/link-port.ts';
import { sendEvent } from './send-event.ts';
import { restoredEvents, storedEvents } from './stored-waits.ts';
import { StreamCounts } from './stream-counts.ts';
import type { StreamDeps } from './stream-deps.ts';
import type { OpenEvent, Progress } from './stream-progress.ts';
import { ANSWER_MS, type EventPosition, type Unacked, UnackedEvents, waitMs, type Failure } from './unacked.ts';

const TICK_MS = 250;
const ELAPSE_EVERY_MS = 50;
/** Bounds the events that are sent again after a kill. */
const SAVE_EVERY_MS = 100;
const LAST_ANSWERS_MS = 2_000;
const RETRY_MS = 1_000;
const NO_ANSWER = 'no answer within 30 s';

export class Stream {
  readonly #deps: StreamDeps;
  readonly #unacked = new UnackedEvents();
  readonly #deferred: DeferredEvents;
  readonly #deferral: Deferral;
  readonly #ending = new AbortController();
  readonly #feed: Feed;
  #subscription: Subscription;
  #next: EventPosition;
  #read: Awaited<ReturnType<Feed['read']>>;
  #link: Link | undefined;
  #lastAnswerAt = 0;
  #breaks = 0;
  #openAt = 0;
  #elapsedAt = -Infinity;
  readonly #failing: FailingSubscriber;
  #isDirty = false;
  #hasDeferred: boolean;
  #savedAt = -Infinity;
  #isLost = false;
  readonly #counts: StreamCounts;
  #failures = 0;
  #signal = Promise.withResolvers<void>();
  readonly #running: Promise<void>;

  constructor(subscription: Subscription, progress: Progress, deps: StreamDeps) {
    this.#subscription = subscription;
    this.#deps = deps;
    this.#next = progress.next;
    this.#failing = new FailingSubscriber(deps, progress.failing);
    this.#feed = new Feed(deps.commits, this.log, deps.messages);
    this.#hasDeferred = progress.deferred !== undefined;
    const dropped = progress.deferred?.dropped ?? 0;
    this.#deferred = new DeferredEvents(deps.deferred.of(subscription), { clock: deps.clock, dropped });
    this.#deferral = new Deferral(this.#unacked, this.#deferred);
    this.#counts = new StreamCounts(deps.metrics, this.#unacked, this.#deferred);
    this.#running = this.#run(restoredEvents(deps.clock, progress.open));
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get log(): string {
    return webhooksLogOf(this.#subscription.account);
  }

  get since(): Date {
    return this.#subscription.since;
  }

  wake(): void {
    this.#feed.wake();
    this.#signal.resolve();
  }

  update(subscription: Subscription): void {
    const { settings } = this.#subscription;
    this.#subscription = subscription;
    if (this.#isLinkOf(settings)) return;
    this.#breakLink();
    this.#breaks = 0;
    this.#openAt = -Infinity;
    this.#signal.resolve();
  }

  #isLinkOf({ endpoint, format }: Subscription['settings']): boolean {
    const { settings } = this.#subscription;
    return endpoint === settings.endpoint && format === settings.format;
  }

  async isDue(): Promise<boolean> {
    const now = this.#now();
    if (this.#isDirty) return true;
    if (!this.#link && this.#openAt > now) return false;
    if (this.#unacked.isDue(now) || this.#deferred.isDue(now)) return true;
    if (this.#unacked.room === 0) return false;
    return this.#next.n <= (await this.#deps.commits.newest(this.log));
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#signal.resolve();
    await this.#running;
    const until = performance.now() + LAST_ANSWERS_MS;
    while (this.#link && this.#unacked.inFlight > 0 && performance.now() < until) await delay(10);
    this.#breakLink();
    this.#counts.end();
    if (!this.#isLost) await this.#store();
  }

  async #run(open: readonly OpenEvent[]): Promise<void> {
    let isRestored = false;
    while (!this.#ending.signal.aborted && !this.#isLost) {
      try {
        if (!isRestored) await this.#deferral.restore(await this.#feed.restored(open));
        isRestored = true;
        const hasSent = await this.#turn();
        this.#failures = 0;
        if (!hasSent) await this.#pause();
      } catch (error) {
        if (this.#failures++ === 0) this.#deps.log.warn({ err: error }, 'stream failed');
        await delay(RETRY_MS, undefined, { signal: this.#ending.signal }).catch(() => undefined);
      }
    }
  }

  #now(): number {
    return steadyTime(this.#deps.clock);
  }

  async #turn(): Promise<boolean> {
    this.#elapse();
    if (!this.#link && this.#openAt <= this.#now()) await this.#open();
    await this.#prune();
    await this.#fill();
    const hasSent = await this.#send();
    await this.#saveIfDue();
    return hasSent;
  }

  async #pause(): Promise<void> {
    const isEmpty = this.#unacked.size + this.#unacked.inFlight + this.#deferred.length === 0;
    const isIdle = this.#link !== undefined && isEmpty && !this.#isDirty;
    const untilSave = this.#isDirty ? this.#savedAt + SAVE_EVERY_MS - performance.now() : TICK_MS;
    const timer = isIdle
      ? undefined
      : setTimeout(
          () => this.#signal.resolve(),
          Math.max(0, Math.min(TICK_MS, untilSave, this.#deferred.pauseMs)),
        ).unref();
    await this.#signal.promise;
    clearTimeout(timer);
    this.#signal = Promise.withResolvers<void>();
  }

  #elapse(): void {
    if (performance.now() - this.#elapsedAt < ELAPSE_EVERY_MS) return;
    this.#elapsedAt = performance.now();
    const now = this.#now();
    const { late, givenUp } = this.#unacked.elapse(now, trustedTime(this.#deps.clock));
    if (this.#link && this.#deferral.makeRoom() > 0) this.#isDirty = true;
    if (late + givenUp === 0) return;
    this.#isDirty = true;
    this.#deps.metrics.ended('late', late);
    this.#gaveUp(givenUp);
    if (late > 0) this.#stillFailing(NO_ANSWER);
    // The connection may have failed silently.
    if (late > 0 && this.#lastAnswerAt + ANSWER_MS <= now) this.#broken(new Error(NO_ANSWER));
  }

  #gaveUp(events: number): void {
    if (events === 0) return;
    this.#deps.metrics.ended('given_up', events);
    this.#deps.log.warn({ events }, 'events given up after 72 hours');
  }

  async #prune(): Promise<void> {
    const { log, metrics } = this.#deps;
    const { givenUp, dropped } = await this.#deferral.prune();
    if (givenUp + dropped === 0) return;
    this.#isDirty = true;
    this.#gaveUp(givenUp);
    metrics.ended('dropped', dropped);
    if (dropped > 0) log.warn({ events: dropped }, 'too many deferred events; the oldest are dropped');
  }

  async #open(): Promise<void> {
    const { connect, log, metrics } = this.#deps;
    const { id, settings } = this.#subscription;
    const { endpoint, format } = settings;
    try {
      const listener: LinkListener = {
        acked: (uuid) => this.#acked(uuid),
        failed: (uuids, how, reason) => this.#failed(uuids, how, reason),
        drained: () => this.#signal.resolve(),
        broken: (error) => this.#broken(error),
      };
      const { signal } = this.#ending;
      const link = await connect({ endpoint: parseEndpoint(endpoint), format, subscription: id, listener, signal });
      if (this.#ending.signal.aborted || !this.#isLinkOf(settings)) return link.close();
      this.#link = link;
      this.#lastAnswerAt = this.#now();
      metrics.connected(1);
      if (!this.#unacked.hasFailures && this.#deferred.length === 0) this.#failing.recovered();
      if (this.#breaks === 0) log.info({ endpoint: withoutQuery(endpoint) }, 'stream open');
    } catch (error) {
      this.#broken(error);
    }
  }

  #broken(error: unknown): void {
    if (isFlood(error)) this.#deps.metrics.flooded();
    const { log, hungUp } = this.#deps;
    this.#breakLink();
    if (this.#ending.signal.aborted) return;
    if (hungUp) {
      this.#openAt = Infinity;
      log.info({ err: error }, 'consumer gone');
      return hungUp();
    }
    const { endpoint } = this.#subscription.settings;
    if (this.#breaks++ === 0) {
      log.warn({ err: error, endpoint: withoutQuery(endpoint) }, 'stream broken; reconnecting');
    }
    this.#openAt = this.#now() + waitMs(this.#breaks);
    this.#stillFailing(reasonOf(error));
    this.#signal.resolve();
  }

  #breakLink(): void {
    if (!this.#link) return;
    this.#link.close();
    this.#link = undefined;
    this.#isDirty = true;
    this.#deps.metrics.connected(-1);
    this.#deps.metrics.ended('broken', this.#unacked.connectionLost(this.#now()));
    this.#deferred.returned();
  }

  #acked(uuid: string): void {
    const { log } = this.#deps;
    this.#lastAnswerAt = this.#now();
    if (!this.#unacked.acked(uuid, this.#lastAnswerAt)) return;
    this.#isDirty = true;
    this.#counts.acked();
    if (this.#breaks > 0 || this.#failing.period) log.info('stream recovered');
    this.#breaks = 0;
    this.#failing.recovered();
    this.#signal.resolve();
  }

  #failed(uuids: readonly string[], how: Failure, reason: string): void {
    const { log, metrics } = this.#deps;
    const now = this.#now();
    const isAnswer = how !== 'late' && how !== 'broken';
    if (isAnswer) this.#lastAnswerAt = now;
    const count = this.#unacked.failed(uuids, how, now);
    if (count === 0) return;
    this.#isDirty = true;
    metrics.ended(isAnswer ? 'refused' : how, count);
    if (!this.#failing.period) log.warn({ reason }, 'events failed; they are sent again');
    this.#stillFailing(reason);
    this.#signal.resolve();
  }

  #stillFailing(reason: string): void {
    this.#isDirty = true;
    this.#failing.again(reason, this.#subscription);
  }

  async #fill(): Promise<void> {
    if (this.#link) await this.#deferral.take(this.#now());
    while (this.#link && this.#unacked.room > 0) {
      this.#read ??= await this.#feed.read(this.#next, this.#unacked.room, this.#subscription.settings);
      if (!this.#read) return;
      const { events, next } = this.#read;
      const deferred = await this.#deferral.accept(events);
      this.#read = undefined;
      this.#next = next;
      this.#isDirty = true;
      if (deferred === 0) continue;
      this.#deps.metrics.ended('deferred', deferred);
      this.#signal.resolve();
      return;
    }
  }

  async #send(): Promise<boolean> {
    if (!this.#link?.isWritable || !this.#deps.isOwner()) return false;
    const events = this.#unacked.dueEvents(this.#now(), this.#link.deferredRoom);
    if (events.length === 0) return false;
    const due = await this.#feed.dueAt(events);
    const present = due.filter((one) => one !== undefined);
    const made = await this.#deps.maker.make(this.#subscription.account, present);
    let i = 0;
    await this.#write(events.map((event, index) => ({ event, made: due[index] ? made[i++] : undefined })));
    return true;
  }

  async #write(pairs: readonly { readonly event: Unacked; readonly made: Made }[]): Promise<void> {
    for (const { event, made } of pairs) {
      while (this.#mustWait(event)) {
        await this.#pause();
        this.#elapse();
        await this.#saveIfDue();
      }
      if (!this.#link || this.#ending.signal.aborted) return;
      if (!this.#unacked.has(event)) continue;
      this.#isDirty = true;
      sendEvent(event, made, { ...this.#deps, link: this.#link, unacked: this.#unacked });
    }
  }

  #mustWait({ isDeferred }: Unacked): boolean {
    if (!this.#link || this.#ending.signal.aborted) return false;
    return !this.#link.isWritable && !(isDeferred && this.#link.deferredRoom !== undefined);
  }

  #progress(): Progress {
    const open = storedEvents(this.#deps.clock, this.#unacked.all());
    const { summary } = this.#deferred;
    const isUsed = summary.length + summary.dropped > 0 || this.#hasDeferred;
    this.#hasDeferred = isUsed;
    return { next: this.#next, open, failing: this.#failing.period, deferred: isUsed ? summary : undefined };
  }

  async #saveIfDue(): Promise<void> {
    this.#counts.update();
    if (!this.#isDirty || performance.now() - this.#savedAt < SAVE_EVERY_MS) return;
    this.#isDirty = false;
    this.#savedAt = performance.now();
    try {
      if (await this.#store()) return;
    } catch (error) {
      this.#isDirty = true;
      throw error;
    }
    this.#isLost = true;
    this.#breakLink();
  }

  /** Deferred events first: progress is past them then. */
  async #store(): Promise<boolean> {
    const remaining = await this.#deferral.flush();
    this.#deps.metrics.ended('deferred', remaining);
    if (remaining > 0) this.#deps.log.warn({ events: remaining }, 'events deferred, as they fail alone');
    return this.#deps.save(this.#progress());
  }
}

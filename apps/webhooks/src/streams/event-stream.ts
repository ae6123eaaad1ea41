import { setTimeout as delay } from 'node:timers/promises';
import type { CommitReader } from '@tidings/event-store';
import type { WebhookEvent } from '@tidings/events';
import type { Clock } from '@tidings/kernel';
import type { WebhookResponse } from '@tidings/rpc';
import type { Logger } from '@tidings/runtime';
import type { EventMaker, MadeEvent } from '../events/make.ts';
import { webhooksLogOf } from '../webhook-log.ts';
import type { StreamMetrics } from '../stream-metrics.ts';
import { parseEndpoint } from '../subscriptions/endpoint.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import { dueAt, Feed, keyOf } from './feed.ts';
import { type Link, type LinkOptions, openLink } from './link.ts';
import type { Progress } from './stream-progress.ts';
import { ANSWER_MS, type Place, type Unacked, UnackedEvents, waitMs } from './unacked.ts';

/** How often a stream that waits for something looks at the clock. */
const TICK_MS = 250;
/** Answers that are late are looked for this often at most. */
const ELAPSE_EVERY_MS = 50;
/** Progress is written this often at most: what a kill makes come again. */
const SAVE_EVERY_MS = 100;
/** A stream that ends waits this long for the answers under way. */
const LAST_ANSWERS_MS = 2_000;
const TROUBLE_MS = 1_000;

export interface StreamDeps {
  readonly commits: Pick<CommitReader<WebhookEvent>, 'after' | 'pick' | 'newest'>;
  readonly maker: EventMaker;
  readonly link: LinkOptions;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: StreamMetrics;
  /** Writes progress; false when the stream is somebody else's by now. */
  readonly save: (progress: Progress) => Promise<boolean>;
  /** Whether this process may act as the stream's owner. */
  readonly isOwner: () => boolean;
}

const isAck = ({ status }: WebhookResponse): boolean => /^(ok|success|200)$/i.test(status.trim());

/** What a subscription is told: reads its account's log, sends what is wanted, and sends again what is not acknowledged (R-EV5). */
export class Stream {
  readonly #deps: StreamDeps;
  readonly #unacked = new UnackedEvents();
  readonly #ending = new AbortController();
  readonly #feed: Feed;
  #subscription: Subscription;
  #next: Place;
  #link: Link | undefined;
  #isWritable = true;
  #lastAnswerAt = 0;
  /** Streams that broke since the last acknowledgement, and when the next one may be opened. */
  #breaks = 0;
  #openAt = 0;
  #elapsedAt = -Infinity;
  #isDirty = false;
  #savedAt = -Infinity;
  #isLost = false;
  #troubles = 0;
  #woken = Promise.withResolvers<void>();
  readonly #running: Promise<void>;

  constructor(subscription: Subscription, progress: Progress, deps: StreamDeps) {
    this.#subscription = subscription;
    this.#deps = deps;
    this.#next = progress.next;
    this.#feed = new Feed(deps.commits, this.log);
    this.#running = this.#run(progress);
  }

  /** True once the stream is somebody else's. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The log that it reads. */
  get log(): string {
    return webhooksLogOf(this.#subscription.account);
  }

  get since(): Date {
    return this.#subscription.since;
  }

  /** Tells of new commits, which may be there. */
  wake(): void {
    this.#feed.wake();
    this.#woken.resolve();
  }

  /** Goes on with changed settings; another endpoint is connected to at once. */
  update(subscription: Subscription): void {
    const { endpoint } = this.#subscription.settings;
    this.#subscription = subscription;
    if (endpoint === subscription.settings.endpoint) return;
    this.#breakLink();
    this.#breaks = 0;
    this.#openAt = 0;
    this.#woken.resolve();
  }

  /** Whether anything is to be sent, answered or written down by now; what waits for a later time does not count. */
  async isDue(): Promise<boolean> {
    const now = this.#deps.clock.now();
    if (this.#isDirty) return true;
    if (!this.#link && this.#openAt > now) return false;
    if (this.#unacked.isDue(now)) return true;
    if (this.#unacked.room === 0) return false;
    return this.#next.n <= (await this.#deps.commits.newest(this.log));
  }

  /** Sends nothing more, waits a moment for answers, and writes down how far it is. */
  async stop(): Promise<void> {
    this.#ending.abort();
    this.#woken.resolve();
    await this.#running;
    const until = performance.now() + LAST_ANSWERS_MS;
    while (this.#link && this.#unacked.inFlight > 0 && performance.now() < until) await delay(10);
    this.#breakLink();
    this.#deps.metrics.unacked(-this.#unacked.size);
    if (!this.#isLost) await this.#deps.save(this.#progress());
  }

  async #run(progress: Progress): Promise<void> {
    let isRestored = progress.open.length === 0;
    while (!this.#ending.signal.aborted && !this.#isLost) {
      try {
        if (!isRestored) await this.#restore(progress);
        isRestored = true;
        const hasSent = await this.#turn();
        this.#troubles = 0;
        if (!hasSent) await this.#pause();
      } catch (error) {
        if (this.#troubles++ === 0) this.#deps.log.warn({ err: error }, 'stream failed');
        await delay(TROUBLE_MS, undefined, { signal: this.#ending.signal }).catch(() => undefined);
      }
    }
  }

  /** Takes up what an earlier owner left unacknowledged. */
  async #restore({ open }: Progress): Promise<void> {
    const commits = await this.#feed.commitsOf(open);
    for (const { n, e, d, failures, at } of open) {
      const commit = commits.get(n);
      const due = commit && dueAt(commit, { n, e, d });
      if (due) this.#add({ n, e, d, key: keyOf(due), raisedAt: commit.at, failures, at });
    }
  }

  #add(event: Omit<Unacked, 'phase'>): void {
    this.#unacked.add(event);
    this.#deps.metrics.unacked(1);
  }

  /** Does what is to be done now; true when there may be more of it. */
  async #turn(): Promise<boolean> {
    this.#elapse();
    if (!this.#link && this.#openAt <= this.#deps.clock.now()) await this.#open();
    await this.#read();
    const hasSent = await this.#send();
    await this.#saveIfDue();
    return hasSent;
  }

  /** Waits until something happens; with anything under way, for a moment at most. */
  async #pause(): Promise<void> {
    const isIdle = this.#link !== undefined && this.#unacked.size === 0 && !this.#isDirty;
    const untilSave = this.#isDirty ? this.#savedAt + SAVE_EVERY_MS - performance.now() : TICK_MS;
    const timer = isIdle
      ? undefined
      : setTimeout(() => this.#woken.resolve(), Math.max(0, Math.min(TICK_MS, untilSave))).unref();
    await this.#woken.promise;
    clearTimeout(timer);
    this.#woken = Promise.withResolvers<void>();
  }

  #elapse(): void {
    if (performance.now() - this.#elapsedAt < ELAPSE_EVERY_MS) return;
    this.#elapsedAt = performance.now();
    const now = this.#deps.clock.now();
    const { late, givenUp } = this.#unacked.elapse(now);
    if (late + givenUp === 0) return;
    this.#isDirty = true;
    this.#deps.metrics.ended('late', late);
    this.#deps.metrics.ended('given_up', givenUp);
    this.#deps.metrics.unacked(-givenUp);
    if (givenUp > 0) this.#deps.log.warn({ events: givenUp }, 'events given up after 72 hours');
    // Nothing at all came back: the connection may be gone without a word.
    if (late > 0 && this.#lastAnswerAt + ANSWER_MS <= now) this.#broken(new Error('no answer within 30 s'));
  }

  async #open(): Promise<void> {
    const { link: deps, clock, log, metrics } = this.#deps;
    const { endpoint } = this.#subscription.settings;
    try {
      const link = await openLink(
        parseEndpoint(endpoint),
        deps,
        {
          answered: (response) => this.#answered(response),
          drained: () => {
            this.#isWritable = true;
            this.#woken.resolve();
          },
          broken: (error) => this.#broken(error),
        },
        this.#ending.signal,
      );
      if (this.#ending.signal.aborted || endpoint !== this.#subscription.settings.endpoint) return link.close();
      this.#link = link;
      this.#isWritable = true;
      this.#lastAnswerAt = clock.now();
      metrics.connected(1);
      if (this.#breaks === 0) log.info({ endpoint }, 'stream open');
    } catch (error) {
      this.#broken(error);
    }
  }

  #broken(error: unknown): void {
    const { clock, log } = this.#deps;
    this.#breakLink();
    if (this.#ending.signal.aborted) return;
    const { endpoint } = this.#subscription.settings;
    if (this.#breaks++ === 0) log.warn({ err: error, endpoint }, 'stream broken; reconnecting');
    this.#openAt = clock.now() + waitMs(this.#breaks);
    this.#woken.resolve();
  }

  #breakLink(): void {
    if (!this.#link) return;
    this.#link.close();
    this.#link = undefined;
    this.#isDirty = true;
    this.#deps.metrics.connected(-1);
    this.#deps.metrics.ended('broken', this.#unacked.broke(this.#deps.clock.now()));
  }

  #answered(response: WebhookResponse): void {
    const { clock, log, metrics } = this.#deps;
    this.#lastAnswerAt = clock.now();
    const end = this.#unacked.answered(response.uuid, isAck(response), this.#lastAnswerAt);
    if (!end) return;
    this.#isDirty = true;
    metrics.ended(end);
    if (end === 'acked') {
      metrics.unacked(-1);
      if (this.#breaks > 0) log.info('stream recovered');
      this.#breaks = 0;
    }
    this.#woken.resolve();
  }

  /** Fills the unacked events up with what follows in the log. */
  async #read(): Promise<void> {
    while (this.#link && this.#unacked.room > 0) {
      const read = await this.#feed.read(this.#next, this.#unacked.room, this.#subscription.settings);
      if (!read) return;
      for (const event of read.events) this.#add({ ...event, failures: 0, at: 0 });
      this.#next = read.next;
      this.#isDirty = true;
    }
  }

  /** Makes and writes what is to be sent now; false where there is nothing, or nowhere to write it. */
  async #send(): Promise<boolean> {
    if (!this.#link || !this.#isWritable || !this.#deps.isOwner()) return false;
    const events = this.#unacked.sendable(this.#deps.clock.now());
    if (events.length === 0) return false;
    const commits = await this.#feed.commitsOf(events);
    const due = events.map((event) => {
      const commit = commits.get(event.n);
      return commit && dueAt(commit, event);
    });
    const present = due.filter((one) => one !== undefined);
    const made = await this.#deps.maker.make(this.#subscription.account, present);
    let i = 0;
    await this.#write(events.map((event, index) => ({ event, made: due[index] ? made[i++] : undefined })));
    return true;
  }

  /** Writes without waiting for answers, but no faster than the stream takes it. */
  async #write(pairs: readonly { readonly event: Unacked; readonly made: MadeEvent | undefined }[]): Promise<void> {
    const { clock, metrics } = this.#deps;
    for (const { event, made } of pairs) {
      while (this.#link && !this.#isWritable && !this.#ending.signal.aborted) {
        await this.#pause();
        this.#elapse();
        await this.#saveIfDue();
      }
      // The rest is made again when there is another stream.
      if (!this.#link || this.#ending.signal.aborted) return;
      // A late answer may have come meanwhile.
      if (!this.#unacked.has(event)) continue;
      this.#isDirty = true;
      if (made) {
        this.#isWritable = this.#link.send(made.bytes);
        this.#unacked.sent(event, made.uuid, clock.now());
      } else {
        this.#unacked.drop(event);
        metrics.ended('gone');
        metrics.unacked(-1);
      }
    }
  }

  #progress(): Progress {
    // What is on the wire now comes again at once where this process does not live to hear the answer.
    const open = Array.from(this.#unacked.all(), ({ n, e, d, failures, phase, at }) => ({
      ...{ n, e, d, failures },
      at: phase === 'sent' ? 0 : at,
    }));
    return { next: this.#next, open };
  }

  async #saveIfDue(): Promise<void> {
    if (!this.#isDirty || performance.now() - this.#savedAt < SAVE_EVERY_MS) return;
    this.#isDirty = false;
    this.#savedAt = performance.now();
    if (await this.#deps.save(this.#progress())) return;
    this.#isLost = true;
    this.#breakLink();
  }
}

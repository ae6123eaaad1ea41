import { Fault } from '@tidings/kernel';
import { isTransient } from '@tidings/mongo';
import { bytesOf, type MongoCommits } from '../mongo/commits.ts';
import type { Commit } from '../event-log-port.ts';
import type { StoredCommit } from '../log-store.ts';
import { delay } from '../waiting.ts';
import { isRefusal, type Outbox, type RelayedRecord } from './outbox.ts';
import { UnknownEvent } from '../unknown-event.ts';
import type { SkippedCommits } from './skipped-commits.ts';

export interface RelayCounts {
  commits: number;
  records: number;
  read: number;
  skipped: number;
}

type Records = readonly RelayedRecord[];

export type Publishing<Event> = (commit: Commit<Event>) => Records | (() => Promise<Records>);

export interface TailDeps<Event> {
  readonly commits: Pick<MongoCommits, 'after'>;
  readonly outbox: Pick<Outbox, 'send'>;
  readonly counts: RelayCounts;
  readonly skipped: Pick<SkippedCommits, 'record'>;
  readonly decode: (bytes: Uint8Array) => Event;
  readonly isKnown: (event: Event) => boolean;
  readonly publish: Publishing<Event>;
  readonly report: (error: unknown) => void;
  readonly onBlocked: (error: UnknownEvent) => void;
  readonly mayPublish: () => boolean;
  readonly published: (log: string, position: number) => void;
}

interface Queued {
  readonly position: number;
  readonly events: number;
  readonly bytes: number;
  readonly trace: StoredCommit['trace'];
  readonly records: Records | (() => Records | Promise<Records>);
}

const MAX_QUEUE = 500;
const MAX_QUEUE_EVENTS = 2_000;
const MAX_QUEUE_BYTES = 4 << 20;
const AT_ONCE = 100;
const EVENTS_AT_ONCE = 1_000;
const BYTES_AT_ONCE = 4 << 20;
const TRIES = 5;
const PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

export class Tail<Event> {
  readonly #log: string;
  readonly #deps: TailDeps<Event>;
  readonly #queue: Queued[] = [];
  #events = 0;
  #bytes = 0;
  #published: number;
  /** The highest position that may exist. */
  #highestPosition: number;
  /** A position alone does not distinguish repeated hints. */
  #hints = 0;
  #reading = false;
  #isBlocked = false;
  #draining: Promise<void> | undefined;

  constructor(log: string, published: number, deps: TailDeps<Event>) {
    this.#log = log;
    this.#published = published;
    this.#highestPosition = published;
    this.#deps = deps;
  }

  get published(): number {
    return this.#published;
  }

  get busy(): boolean {
    return this.#draining !== undefined;
  }

  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  get unpublished(): number {
    return this.#queue.length + (this.#isBehind ? 1 : 0);
  }

  get drained(): Promise<void> {
    return this.#draining ?? Promise.resolve();
  }

  enqueue(commit: Commit<Event>): void {
    const { position, trace, events, encoded } = commit;
    if (position <= this.#last) return;
    const fits = position === this.#last + 1 && !this.#reading && this.#hasRoom;
    if (fits) {
      const bytes = bytesOf({ events: encoded });
      this.#enqueue({ position, trace, events: events.length, bytes, records: this.#prepared(commit) });
    }
    this.raiseTo(position);
  }

  #enqueue(queued: Queued): void {
    this.#queue.push(queued);
    this.#events += queued.events;
    this.#bytes += queued.bytes;
  }

  raiseTo(position: number): void {
    this.#hints++;
    this.#highestPosition = Math.max(this.#highestPosition, position);
    this.#drain();
  }

  poll(): void {
    if (!this.busy) this.raiseTo(this.#last + 1);
  }

  get #last(): number {
    return this.#queue.at(-1)?.position ?? this.#published;
  }

  get #hasRoom(): boolean {
    return this.#queue.length < MAX_QUEUE && this.#events < MAX_QUEUE_EVENTS && this.#bytes < MAX_QUEUE_BYTES;
  }

  get #isBehind(): boolean {
    return this.#highestPosition > this.#last;
  }

  get #hasWork(): boolean {
    return (this.#queue.length > 0 || this.#isBehind) && !this.#isBlocked && this.#deps.mayPublish();
  }

  #drain(): void {
    if (!this.#hasWork) return;
    this.#draining ??= this.#publishAll().finally(() => {
      this.#draining = undefined;
      this.#drain();
    });
  }

  async #publishAll(): Promise<void> {
    let atOnce = AT_ONCE;
    let tries = 0;
    for (let pause = PAUSE_MS; this.#hasWork;) {
      try {
        if (this.#queue.length === 0) await this.#read(atOnce);
        await this.#send(atOnce);
        atOnce = Math.min(atOnce * 2, AT_ONCE);
        tries = 0;
        pause = PAUSE_MS;
      } catch (error) {
        if (error instanceof UnknownEvent && atOnce === 1) {
          this.#isBlocked = true;
          this.#deps.onBlocked(error);
          return;
        }
        if (!(error instanceof UnknownEvent)) this.#deps.report(error);
        // One at a time, so that only the faulty commit is counted. A failed read has none.
        if (isOwnFault(error) && atOnce === 1 && this.#queue.length > 0) tries++;
        atOnce = 1;
        if (tries >= TRIES && (await this.#skip(error))) tries = 0;
        else await delay(pause);
        pause = Math.min(pause * 2, MAX_PAUSE_MS);
      }
    }
  }

  async #read(limit: number): Promise<void> {
    this.#reading = true;
    const hints = this.#hints;
    try {
      const found = await this.#deps.commits.after(this.#log, this.#published, limit, BYTES_AT_ONCE);
      this.#deps.counts.read += found.length;
      for (const stored of found) {
        const { position, trace, events } = stored;
        const records = (): Records | Promise<Records> => this.#recordsOf(this.#decoded(stored));
        this.#enqueue({ position, trace, events: events.length, bytes: bytesOf(stored), records });
      }
      if (found.length >= limit || this.#bytes >= BYTES_AT_ONCE)
        this.#highestPosition = Math.max(this.#highestPosition, this.#last + 1);
      // Commits reported meanwhile may be missing among those read.
      else if (this.#hints === hints) this.#highestPosition = this.#last;
    } finally {
      this.#reading = false;
    }
  }

  async #send(atOnce: number): Promise<void> {
    const commits = this.#next(atOnce);
    const records: RelayedRecord[] = [];
    for (const { records: recordsOf, trace } of commits) {
      for (const record of typeof recordsOf === 'function' ? await recordsOf() : recordsOf) {
        records.push(trace ? { ...record, headers: { ...record.headers, ...trace } } : record);
      }
    }
    if (records.length > 0) await this.#deps.outbox.send(records);
    this.#done(commits.length);
    this.#deps.counts.commits += commits.length;
    this.#deps.counts.records += records.length;
  }

  #next(atOnce: number): readonly Queued[] {
    let count = 0;
    for (let events = 0, bytes = 0; count < Math.min(atOnce, this.#queue.length); count++) {
      const next = this.#queue[count]!;
      events += next.events;
      bytes += next.bytes;
      if ((events > EVENTS_AT_ONCE || bytes > BYTES_AT_ONCE) && count > 0) break;
    }
    return this.#queue.slice(0, count);
  }

  #prepared(commit: Commit<Event>): Queued['records'] {
    try {
      const publishing = this.#publishing(commit);
      if (typeof publishing !== 'function') return publishing;
    } catch {
      // It fails again when its turn comes, and is reported.
    }
    return () => this.#recordsOf(commit);
  }

  #recordsOf(commit: Commit<Event>): Records | Promise<Records> {
    const publishing = this.#publishing(commit);
    return typeof publishing === 'function' ? publishing() : publishing;
  }

  #publishing(commit: Commit<Event>): ReturnType<Publishing<Event>> {
    return commit.events.length === 0 ? [] : this.#deps.publish(commit);
  }

  async #skip(error: unknown): Promise<boolean> {
    const { position } = this.#queue[0]!;
    try {
      await this.#deps.skipped.record(this.#log, position, error);
    } catch (failure) {
      this.#deps.report(failure);
      return false;
    }
    this.#deps.counts.skipped++;
    this.#deps.report(Fault.bug(`commit ${position} of ${this.#log} is passed over`, error));
    this.#done(1);
    return true;
  }

  #done(commits: number): void {
    if (commits === 0) return;
    this.#published = this.#queue[commits - 1]!.position;
    for (const { events, bytes } of this.#queue.splice(0, commits)) {
      this.#events -= events;
      this.#bytes -= bytes;
    }
    this.#deps.published(this.#log, this.#published);
  }

  #decoded({ events: encoded, ...commit }: StoredCommit): Commit<Event> {
    const events = encoded.map((bytes) => this.#deps.decode(bytes));
    if (!events.every(this.#deps.isKnown)) throw new UnknownEvent(commit);
    return { ...commit, events, encoded };
  }
}

const isOwnFault = (error: unknown): boolean =>
  !(error instanceof UnknownEvent) && (error instanceof Fault ? isRefusal(error) : !isTransient(error));

import type { Clock } from '@tidings/kernel';
import type { Timers } from '../timers.ts';

export interface Stop {
  readonly message: string;
  /** Milliseconds since 1970, by the machine's clock. */
  readonly at: number;
}

export interface StopStore {
  /** Idempotent: the first stop of a message stays. Resolves to what is stored. */
  add(messages: readonly string[], now: number): Promise<readonly Stop[]>;
  since(at: number): Promise<readonly Stop[]>;
  /** Deferred slices of the messages become due, unless answers may come. */
  makeDue(messages: readonly string[], now: number): Promise<void>;
}

export interface StoppedMessagesOptions {
  readonly store: StopStore;
  readonly clock: Clock;
  readonly timers: Timers;
  /** True while no other process stores stops. */
  readonly isAlone: () => boolean;
  readonly onError: (error: unknown) => void;
}

export interface StopListener {
  stopped(messages: readonly string[]): void;
  /** Their deferred slices are due. */
  madeDue(): void;
}

const READ_EVERY_MS = 500;
/** Nothing is written on older knowledge, so a stop takes effect within a second. */
const FRESH_MS = 900;
/** Clocks of processes differ, and a write takes time. */
const OVERLAP_MS = 60_000;
/** Slices that were in hand when the stop became known are deferred by then. */
const DEFERRED_WITHIN_MS = 5_000;

export class StoppedMessages {
  readonly #options: StoppedMessagesOptions;
  readonly #stopped = new Map<string, number>();
  readonly #listeners: StopListener[] = [];
  readonly #waiting = new Set<() => void>();
  #newest = 0;
  #lookedAt = -Infinity;
  #looking: Promise<void> | undefined;
  #slices = 0;
  #cancel: (() => void) | undefined;

  constructor(options: StoppedMessagesOptions) {
    this.#options = options;
  }

  follow(listener: StopListener): void {
    this.#listeners.push(listener);
  }

  has(message: string): boolean {
    return this.#stopped.has(message);
  }

  get isFresh(): boolean {
    const { timers, isAlone } = this.#options;
    return timers.now() - this.#lookedAt <= FRESH_MS || (this.#lookedAt > -Infinity && isAlone());
  }

  refresh(): Promise<void> {
    return this.isFresh ? Promise.resolve() : this.#look();
  }

  whenFresh(run: () => void): void {
    this.#waiting.add(run);
    this.#schedule(0);
  }

  /** Looks go on until as many slices have ended. */
  begin(): void {
    this.#slices++;
    this.#schedule(READ_EVERY_MS);
  }

  end(): void {
    this.#slices--;
  }

  async record(messages: readonly string[]): Promise<void> {
    const { store, timers } = this.#options;
    this.#learn(await store.add(messages, timers.wall()));
    await this.#makeDue(messages);
  }

  forget(before: number): void {
    for (const [message, at] of this.#stopped) if (at < before) this.#stopped.delete(message);
  }

  get #mustLook(): boolean {
    return this.#waiting.size > 0 || (this.#slices > 0 && !this.#options.isAlone());
  }

  #schedule(ms: number): void {
    if (this.#cancel || !this.#mustLook) return;
    this.#cancel = this.#options.timers.after(ms, () => {
      const look = this.#mustLook ? this.#look() : Promise.resolve();
      void look.catch(this.#options.onError).then(() => {
        this.#cancel = undefined;
        this.#schedule(READ_EVERY_MS);
      });
    });
  }

  #look(): Promise<void> {
    this.#looking ??= this.#read().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #read(): Promise<void> {
    const { store, timers, onError } = this.#options;
    const startedAt = timers.now();
    const isFirst = this.#lookedAt === -Infinity;
    const found = await store.since(this.#newest - OVERLAP_MS);
    this.#lookedAt = startedAt;
    if (isFirst) for (const stop of found) this.#add(stop);
    else {
      const messages = this.#learn(found);
      if (messages.length > 0) this.#makeDue(messages).catch(onError);
    }
    if (!this.isFresh) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const run of waiting) run();
  }

  #add({ message, at }: Stop): void {
    this.#stopped.set(message, at);
    this.#newest = Math.max(this.#newest, at);
  }

  #learn(found: readonly Stop[]): readonly string[] {
    const { timers, onError } = this.#options;
    const unknown = found.filter(({ message }) => !this.#stopped.has(message));
    if (unknown.length === 0) return [];
    for (const stop of unknown) this.#add(stop);
    const messages = unknown.map(({ message }) => message);
    for (const listener of this.#listeners) listener.stopped(messages);
    timers.after(DEFERRED_WITHIN_MS, () => void this.#makeDue(messages).catch(onError));
    return messages;
  }

  async #makeDue(messages: readonly string[]): Promise<void> {
    const { store, clock } = this.#options;
    await store.makeDue(messages, clock.now());
    for (const listener of this.#listeners) listener.madeDue();
  }
}

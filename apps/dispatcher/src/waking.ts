import { SendBatch } from '@tidings/events';
import type { Clock } from '@tidings/kernel';
import { inSpan } from '@tidings/telemetry';
import type { Logger } from 'pino';
import type { AttemptStore, Woken } from './attempts.ts';
import type { Lane } from './channels/port.ts';
import type { Incarnation, Owners } from './owners.ts';
import type { Permits } from './permits.ts';
import type { OpenWindow, Publication, Sending } from './sending.ts';
import type { Timers } from './timers.ts';

export interface WakingParts {
  readonly lane: Lane;
  readonly store: AttemptStore;
  readonly owners: Owners;
  readonly permits: Permits;
  readonly sending: Sending;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
  /** Windows that may be awake at a time. */
  readonly max: number;
  /** Takes a woken window in hand and gives its permit back. */
  readonly hold: (id: string, incarnation: Incarnation, run: () => Promise<Publication>) => Promise<void>;
}

const POLL_MS = 500;
/** No handler call waits for these: providers slower than that get their answers in. */
const CUTOFF_MS = 5_000;
const DEADLINE_MS = 10_000;

/** Looks for windows that wait and are due, and sends them (sending 4). */
export class Waking {
  readonly #parts: WakingParts;
  /** Claimed, but not in hand yet. */
  readonly #reserved = new Set<string>();
  readonly #runs = new Set<Promise<void>>();
  #claiming = 0;
  #polling = false;
  #polled: Promise<void> = Promise.resolve();
  #stopped = false;
  #cancel: () => void = () => undefined;
  readonly #stopping = Promise.withResolvers<void>();

  constructor(parts: WakingParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#schedule(0);
  }

  /** Wakes no further window and resolves when none is open. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopping.resolve();
    this.#cancel();
    await this.#polled;
    while (this.#runs.size > 0) await Promise.allSettled(this.#runs);
  }

  /** True while a claim of this worker may be one that is being woken, rather than one that was left behind. */
  mayHave(id: string): boolean {
    return this.#claiming > 0 || this.#reserved.has(id);
  }

  #schedule(ms: number): void {
    this.#cancel();
    if (!this.#stopped) this.#cancel = this.#parts.timers.after(ms, () => this.#begin());
  }

  #begin(): void {
    if (!this.#polling) this.#polled = this.#poll();
  }

  async #poll(): Promise<void> {
    this.#polling = true;
    let more = false;
    try {
      more = await this.#wake();
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'windows that wait cannot be read');
    } finally {
      this.#polling = false;
      this.#schedule(more ? 0 : POLL_MS);
    }
  }

  /** Claims what is due, as far as windows are free; true when there may be more. */
  async #wake(): Promise<boolean> {
    const { owners, store, lane, clock, permits, max } = this.#parts;
    if (this.#runs.size === max) return false;
    const free = await store.due(lane, clock.now(), max - this.#runs.size);
    // In turn with what arrives: neither may keep the other waiting for ever.
    if (free === 0 || !(await permits.take(free, this.#stopping.promise))) return false;
    const incarnation = owners.current();
    let woken: readonly Woken[] = [];
    this.#claiming++;
    try {
      if (incarnation) woken = await store.wake(lane, incarnation.id, clock.now(), free);
      for (const each of woken) this.#resume(each, incarnation!);
    } catch (error) {
      // What it claimed, if anything, must not look alive for as long as this worker lives.
      if (incarnation) owners.retire(incarnation);
      throw error;
    } finally {
      this.#claiming--;
      for (let unused = free - woken.length; unused > 0; unused--) permits.release();
    }
    return woken.length > 0 && woken.length === free && this.#runs.size < max;
  }

  #resume(woken: Woken, incarnation: Incarnation): void {
    const { hold, log } = this.#parts;
    this.#reserved.add(woken.id);
    const run = hold(woken.id, incarnation, () => {
      this.#reserved.delete(woken.id);
      return this.#send(woken, incarnation);
    })
      // The outcome is not lost: the watchdog emits the window again when its deferral is overdue (sending 2).
      .catch((error: unknown) => log.warn({ window: woken.id, err: error }, 'a window that woke failed'))
      .finally(() => {
        this.#reserved.delete(woken.id);
        this.#runs.delete(run);
        this.#schedule(0);
      });
    this.#runs.add(run);
  }

  #send({ id, attempt }: Woken, incarnation: Incarnation): Promise<Publication> {
    const { sending, timers } = this.#parts;
    const rest = attempt.rest!;
    const job = sending.job(SendBatch.decode(rest.batch));
    const window = job.batch.windows[0]!;
    const pending = rest.progress.map((progress, device) => ({ device, progress }));
    const now = timers.now();
    const open: OpenWindow = { id, job, window, attempt, incarnation, pending };
    const budget = { cutoff: now + CUTOFF_MS, deadline: now + DEADLINE_MS };
    const options = { of: [sending.takeTrace(id)], attributes: { 'tidings.devices': pending.length } };
    return inSpan(`resume ${job.batch.channel}`, options, async (span) => {
      const published = await sending.send(open, budget);
      span.setAttributes(job.tally.attributes);
      return published;
    });
  }
}

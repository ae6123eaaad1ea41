import type { Timers } from '../timers.ts';

/** Reserves time of a message for the pushes of one process, exclusively among all processes and channels. */
export interface PaceStore {
  /**
   * Reserves a period of this length after all others. Times are milliseconds since 1970.
   * @returns the start of the period. If it is later than `latest`, nothing is reserved, and the earliest possible start is returned
   */
  reserve(message: string, lengthMs: number, now: number, latest: number): Promise<Reservation>;
}

export type Reservation = { readonly from: number } | { readonly nextFrom: number };

/**
 * Share of the rate that permits are given at. The rest is the margin for {@link TOLERANCE_MS} and for what happens to a push after its permit: a busy
 * event loop, the way to the provider, clocks of processes that differ. A second at the provider may have the permits of 1,000 ms, the tolerance and the
 * spread of these delays: with a spread of 35 ms that is 5 % more than the rate.
 */
const SHARE = 0.99;
/** Tolerance of a permit: one that was not used in this time is void, so that a process that was busy does not catch up. */
const TOLERANCE_MS = 25;
/** Time that is reserved at once: what one process has, others cannot use. */
const RESERVED_MS = 80;
/** Reserved time begins at most this much ahead: others may need it before. */
const AHEAD_MS = 400;
/** Pause between writes: timers are not exact, and each costs a turn of the event loop. */
const PAUSE_MS = 5;
/** Time after which an answer of the store is not waited for. */
const PATIENCE_MS = 2_000;
/** Delay after a store that did not answer. */
const AGAIN_MS = 200;
/** Number of messages that are remembered without a waiting push. */
const IDLE_MAX = 100;

/** The permits of a run. */
export interface PacedRun {
  /** Whether a push may be written now; if not, the run is called again when it may. */
  mayWrite(): boolean;
  /** A permit was used. */
  written(): void;
  /** The run writes no more. */
  leave(): void;
}

interface Period {
  readonly from: number;
  readonly count: number;
  used: number;
}

/** The pace of one message in this process: permits to write a push, each at a time of its own (R-I11). */
class Pace {
  readonly #message: string;
  readonly #intervalMs: number;
  readonly #store: PaceStore;
  readonly #timers: Timers;
  readonly #onError: (error: unknown) => void;
  /** Runs with the number of their pushes, in the order of their begin: slices are finished one after the other. */
  readonly #runs = new Map<() => void, number>();
  readonly #periods: Period[] = [];
  #reserving = false;
  /** Number of reservations that were asked for. */
  #asked = 0;
  #cancelWake: (() => void) | undefined;

  constructor(message: string, rate: number, { store, timers, onError }: PacesOptions) {
    this.#message = message;
    this.#intervalMs = 1_000 / (rate * SHARE);
    this.#store = store;
    this.#timers = timers;
    this.#onError = onError;
  }

  get isIdle(): boolean {
    return this.#runs.size === 0;
  }

  join(pump: () => void, pushes: number): PacedRun {
    this.#runs.set(pump, pushes);
    return {
      mayWrite: () => this.#mayWrite(),
      written: () => {
        this.#periods[0]!.used++;
        const left = this.#runs.get(pump);
        if (left !== undefined) this.#runs.set(pump, Math.max(1, left - 1));
      },
      leave: () => void this.#runs.delete(pump),
    };
  }

  #mayWrite(): boolean {
    const now = this.#timers.now();
    this.#dropVoid(now);
    this.#reserve();
    const [next] = this.#periods;
    if (!next) return false;
    const at = this.#timeOf(next);
    if (at <= now) return true;
    this.#wakeAfter(Math.max(at - now, PAUSE_MS));
    return false;
  }

  #timeOf({ from, used }: Period): number {
    return from + used * this.#intervalMs;
  }

  /** Drops permits whose time has passed. */
  #dropVoid(now: number): void {
    for (let next = this.#periods[0]; next; next = this.#periods[0]) {
      while (next.used < next.count && this.#timeOf(next) < now - TOLERANCE_MS) next.used++;
      if (next.used < next.count) return;
      this.#periods.shift();
    }
  }

  /** Reserves time for the runs ahead of its use. */
  #reserve(): void {
    if (this.#reserving || this.isIdle) return;
    const waiting = [...this.#runs.values()].reduce((sum, pushes) => sum + pushes, 0);
    const permitted = this.#periods.reduce((sum, { count, used }) => sum + count - used, 0);
    const most = Math.max(1, Math.floor(RESERVED_MS / this.#intervalMs));
    const count = Math.min(waiting - permitted, most);
    if (count <= 0 || permitted >= most) return;
    this.#reserving = true;
    const now = this.#timers.wall();
    const aheadMs = this.#timers.now() - now;
    const asked = ++this.#asked;
    const answered = (pauseMs: number): void => {
      if (asked === this.#asked && this.#reserving) this.#timers.after(pauseMs, () => this.#goOn());
    };
    this.#timers.after(PATIENCE_MS, () => answered(0));
    this.#store.reserve(this.#message, count * this.#intervalMs, now, now + AHEAD_MS).then(
      (reserved) => {
        if ('nextFrom' in reserved) return answered(Math.min(reserved.nextFrom - now - AHEAD_MS / 2, AHEAD_MS));
        // Void permits are dropped, however late the answer is.
        this.#periods.push({ from: reserved.from + aheadMs, count, used: 0 });
        if (asked === this.#asked) this.#goOn();
      },
      (error: unknown) => {
        this.#onError(error);
        answered(AGAIN_MS);
      },
    );
  }

  #goOn(): void {
    this.#reserving = false;
    this.#wake();
  }

  #wakeAfter(ms: number): void {
    this.#cancelWake ??= this.#timers.after(ms, () => {
      this.#cancelWake = undefined;
      this.#wake();
    });
  }

  /** Lets the runs write as long as there are permits. A run that cannot write leaves them to the next one. */
  #wake(): void {
    for (const pump of [...this.#runs.keys()]) {
      if (!this.#mayWrite()) return;
      pump();
    }
  }
}

export interface PacesOptions {
  readonly store: PaceStore;
  readonly timers: Timers;
  readonly onError: (error: unknown) => void;
}

/** The paces of the rated messages that this process sends. */
export class Paces {
  readonly #options: PacesOptions;
  readonly #paces = new Map<string, Pace>();

  constructor(options: PacesOptions) {
    this.#options = options;
  }

  /**
   * Has a run of a message wait for permits.
   * @param pump is called when a push may be written
   * @param pushes number of them, for now
   */
  join(of: { readonly message: string; readonly sendRate: number }, pump: () => void, pushes: number): PacedRun {
    let pace = this.#paces.get(of.message);
    if (!pace) {
      if (this.#paces.size >= IDLE_MAX) this.#forgetIdle();
      pace = new Pace(of.message, of.sendRate, this.#options);
      this.#paces.set(of.message, pace);
    }
    return pace.join(pump, pushes);
  }

  #forgetIdle(): void {
    for (const [message, pace] of this.#paces) if (pace.isIdle) this.#paces.delete(message);
  }
}

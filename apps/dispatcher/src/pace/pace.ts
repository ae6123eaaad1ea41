import type { Timers } from '../timers.ts';

export interface PaceStore {
  /** Nothing is reserved for later than `latest`. Times are milliseconds since 1970. */
  reserve(message: string, lengthMs: number, now: number, latest: number): Promise<Reservation>;
}

export type Reservation = { readonly from: number } | { readonly nextFrom: number };

/** The margin is for {@link TOLERANCE_MS} and delays after a permit; a spread of 35 ms exceeds the rate by 5 %. */
const SHARE = 0.99;
/** An older permit is void, so that a busy process does not catch up. */
const TOLERANCE_MS = 25;
const RESERVED_MS = 80;
const AHEAD_MS = 400;
const PAUSE_MS = 5;
const RESERVE_TIMEOUT_MS = 2_000;
const RETRY_DELAY_MS = 200;
const IDLE_MAX = 100;

export interface PacedRun {
  mayWrite(): boolean;
  written(): void;
  leave(): void;
}

interface Period {
  readonly from: number;
  readonly count: number;
  used: number;
}

class Pace {
  readonly #message: string;
  readonly #intervalMs: number;
  readonly #store: PaceStore;
  readonly #timers: Timers;
  readonly #onError: (error: unknown) => void;
  readonly #runs = new Map<() => void, number>();
  readonly #periods: Period[] = [];
  #reserving = false;
  #requests = 0;
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
        const remaining = this.#runs.get(pump);
        if (remaining !== undefined) this.#runs.set(pump, Math.max(1, remaining - 1));
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

  #dropVoid(now: number): void {
    for (let next = this.#periods[0]; next; next = this.#periods[0]) {
      while (next.used < next.count && this.#timeOf(next) < now - TOLERANCE_MS) next.used++;
      if (next.used < next.count) return;
      this.#periods.shift();
    }
  }

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
    const request = ++this.#requests;
    const answered = (pauseMs: number): void => {
      if (request === this.#requests && this.#reserving) this.#timers.after(pauseMs, () => this.#resume());
    };
    this.#timers.after(RESERVE_TIMEOUT_MS, () => answered(0));
    this.#store.reserve(this.#message, count * this.#intervalMs, now, now + AHEAD_MS).then(
      (reserved) => {
        if ('nextFrom' in reserved) return answered(Math.min(reserved.nextFrom - now - AHEAD_MS / 2, AHEAD_MS));
        this.#periods.push({ from: reserved.from + aheadMs, count, used: 0 });
        if (request === this.#requests) this.#resume();
      },
      (error: unknown) => {
        this.#onError(error);
        answered(RETRY_DELAY_MS);
      },
    );
  }

  #resume(): void {
    this.#reserving = false;
    this.#wake();
  }

  #wakeAfter(ms: number): void {
    this.#cancelWake ??= this.#timers.after(ms, () => {
      this.#cancelWake = undefined;
      this.#wake();
    });
  }

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

export class Paces {
  readonly #options: PacesOptions;
  readonly #paces = new Map<string, Pace>();

  constructor(options: PacesOptions) {
    this.#options = options;
  }

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

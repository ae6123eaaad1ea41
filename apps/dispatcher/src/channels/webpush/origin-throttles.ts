import { type Clock, steadyTime } from '@tidings/kernel';

interface Throttle {
  /** Steady time of the business clock. */
  readonly until: number;
  readonly cause: string;
  probing: boolean;
  waiting: (() => void)[];
}

const ORIGINS_MAX = 256;

/** One push ends a throttle, and all others follow its answer (ADR 34). */
export class OriginThrottles {
  readonly #clock: Clock;
  readonly #throttles = new Map<string, Throttle>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  throttled(): readonly { readonly origin: string; readonly until: number; readonly cause: string }[] {
    return [...this.#throttles].flatMap(([origin, { cause }]) => {
      const until = this.until(origin);
      return until > 0 ? [{ origin, until, cause }] : [];
    });
  }

  lift(): boolean {
    const hadThrottles = this.throttled().length > 0;
    for (const origin of this.#throttles.keys()) this.#remove(origin);
    return hadThrottles;
  }

  close(origin: string, waitMs: number, cause: string): void {
    const until = steadyTime(this.#clock) + waitMs;
    const existing = this.#throttles.get(origin);
    if (existing && !existing.probing && existing.until >= until) return;
    this.#throttles.delete(origin);
    const [oldest] = this.#throttles.keys();
    if (this.#throttles.size >= ORIGINS_MAX && oldest !== undefined) this.#remove(oldest);
    this.#throttles.set(origin, { until, cause, probing: false, waiting: [] });
    for (const run of existing?.waiting ?? []) run();
  }

  until(origin: string): number {
    const remainingMs = (this.#throttles.get(origin)?.until ?? -Infinity) - steadyTime(this.#clock);
    return remainingMs > 0 ? Math.ceil(this.#clock.now() + remainingMs) : 0;
  }

  isProbing(origin: string): boolean {
    return this.#throttles.get(origin)?.probing ?? false;
  }

  whenProbed(origin: string, run: () => void): void {
    this.#throttles.get(origin)?.waiting.push(run);
  }

  written(origin: string): void {
    const throttle = this.#throttles.get(origin);
    if (throttle) throttle.probing = true;
  }

  /** Other pushes were written before the throttle, so only a probe lifts it. */
  answered(origin: string): void {
    if (this.isProbing(origin)) this.#remove(origin);
  }

  returnProbe(origin: string): void {
    const throttle = this.#throttles.get(origin);
    if (!throttle) return;
    throttle.probing = false;
    for (const run of throttle.waiting.splice(0)) run();
  }

  #remove(origin: string): void {
    const waiting = this.#throttles.get(origin)?.waiting ?? [];
    this.#throttles.delete(origin);
    for (const run of waiting) run();
  }
}

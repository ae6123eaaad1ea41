import { type Clock, steadyTime } from '@tidings/kernel';

interface Throttle {
  /** Steady time of the business clock. */
  readonly until: number;
  /** Code and reason of the push service. */
  readonly cause: string;
  /** The throttle has expired, and one push asks whether it is over. */
  probing: boolean;
  /** Called when that is known. */
  waiting: (() => void)[];
}

/** Maximum number of throttled origins: callers choose them. */
const ORIGINS_MAX = 256;

/**
 * The push services that have throttled an application, in this process (R-P1, ADR 34). A throttle stops the application at that push service only; it
 * ends with one push, and all others follow when that is answered.
 */
export class OriginThrottles {
  readonly #clock: Clock;
  readonly #throttles = new Map<string, Throttle>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The push services that accept nothing now, and why. */
  throttled(): readonly { readonly origin: string; readonly until: number; readonly cause: string }[] {
    return [...this.#throttles].flatMap(([origin, { cause }]) => {
      const until = this.until(origin);
      return until > 0 ? [{ origin, until, cause }] : [];
    });
  }

  /** Lifts all throttles; returns whether any held pushes back. */
  lift(): boolean {
    const held = this.throttled().length > 0;
    for (const origin of this.#throttles.keys()) this.#remove(origin);
    return held;
  }

  /** A push service has asked to wait. @param cause its code and reason */
  close(origin: string, waitMs: number, cause: string): void {
    const until = steadyTime(this.#clock) + waitMs;
    const known = this.#throttles.get(origin);
    if (known && !known.probing && known.until >= until) return;
    this.#throttles.delete(origin);
    const [oldest] = this.#throttles.keys();
    if (this.#throttles.size >= ORIGINS_MAX && oldest !== undefined) this.#remove(oldest);
    this.#throttles.set(origin, { until, cause, probing: false, waiting: [] });
    for (const run of known?.waiting ?? []) run();
  }

  /** The time until which nothing may be written, on the business clock; 0 = now, or a probe is under way. */
  until(origin: string): number {
    const leftMs = (this.#throttles.get(origin)?.until ?? -Infinity) - steadyTime(this.#clock);
    return leftMs > 0 ? Math.ceil(this.#clock.now() + leftMs) : 0;
  }

  /** Whether a probe is in flight, which others wait for. */
  isProbing(origin: string): boolean {
    return this.#throttles.get(origin)?.probing ?? false;
  }

  /** Calls once, when the probe is answered. */
  whenProbed(origin: string, run: () => void): void {
    this.#throttles.get(origin)?.waiting.push(run);
  }

  /** A push is written: the first one after a throttle is its probe. */
  written(origin: string): void {
    const throttle = this.#throttles.get(origin);
    if (throttle) throttle.probing = true;
  }

  /** A push was answered otherwise than by a request to wait. Only a probe lifts a throttle: other pushes were written before it. */
  answered(origin: string): void {
    if (this.isProbing(origin)) this.#remove(origin);
  }

  /** A push has no answer: another one may be the probe. */
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

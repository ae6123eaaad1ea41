import { type Clock, Fault } from '@tidings/kernel';
import { TOO_MANY } from '../envelopes/reply.ts';
import { callerOf } from './caller.ts';

export interface CallerLimit {
  /** Requests that may be made at once. */
  readonly burst: number;
  /** Requests that come to be allowed in a minute. */
  readonly perMinute: number;
  /** Callers that are remembered; the one that was seen longest ago is forgotten first. @default 10000 */
  readonly remembered?: number;
}

const MINUTE_MS = 60_000;

/**
 * Holds callers without a token to a limit, each by its address for each application. Of this gateway alone, and in bounded memory: more callers than are
 * remembered are held to nothing but their number.
 */
export class CallerLimits {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #burstMs: number;
  readonly #remembered: number;
  /** When all that a caller has used is allowed again, in milliseconds since 1970; in the order in which callers were seen. */
  readonly #freeAt = new Map<string, number>();

  constructor(clock: Clock, { burst, perMinute, remembered = 10_000 }: CallerLimit) {
    this.#clock = clock;
    this.#intervalMs = MINUTE_MS / perMinute;
    this.#burstMs = burst * this.#intervalMs;
    this.#remembered = remembered;
  }

  /** Counts a request. @throws Fault `throttled` where there have been too many; that one does not count. */
  take(application: string, address: string): void {
    const key = `${application} ${callerOf(address)}`;
    const now = this.#clock.now();
    // A clock that is set back must not shut a caller out.
    const before = Math.min(Math.max(this.#freeAt.get(key) ?? now, now), now + this.#burstMs);
    const after = before + this.#intervalMs;
    const isAllowed = after <= now + this.#burstMs;
    this.#keep(key, isAllowed ? after : before);
    if (isAllowed) return;
    throw Fault.throttled(TOO_MANY, Math.max(1, Math.ceil((after - now - this.#burstMs) / 1000)));
  }

  #keep(key: string, freeAt: number): void {
    this.#freeAt.delete(key);
    this.#freeAt.set(key, freeAt);
    if (this.#freeAt.size <= this.#remembered) return;
    const [oldest] = this.#freeAt.keys();
    if (oldest !== undefined) this.#freeAt.delete(oldest);
  }

  /** How many callers are remembered. */
  get size(): number {
    return this.#freeAt.size;
  }
}

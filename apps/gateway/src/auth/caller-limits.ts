import { type Clock, Fault } from '@tidings/kernel';
import { TOO_MANY } from '../envelopes/reply.ts';
import { callerOf } from './caller.ts';

export interface CallerLimit {
  readonly burst: number;
  readonly perMinute: number;
  readonly remembered?: number;
}

const MINUTE_MS = 60_000;

/** Local to this process: an evicted caller starts anew. */
export class CallerLimits {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #burstMs: number;
  readonly #remembered: number;
  readonly #freeAt = new Map<string, number>();

  constructor(clock: Clock, { burst, perMinute, remembered = 10_000 }: CallerLimit) {
    this.#clock = clock;
    this.#intervalMs = MINUTE_MS / perMinute;
    this.#burstMs = burst * this.#intervalMs;
    this.#remembered = remembered;
  }

  take(application: string, address: string): void {
    const key = `${application} ${callerOf(address)}`;
    const now = this.#clock.now();
    // A clock that was set back must not lock a caller out.
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

  get size(): number {
    return this.#freeAt.size;
  }
}

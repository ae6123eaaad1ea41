import { secretOf } from '@tidings/contract';
import { type Clock, Fault } from '@tidings/kernel';
import { TOO_MANY } from '../envelopes/reply.ts';
import { callerOf } from './caller.ts';
import { isSecret } from './secrets.ts';

const MAX_FAILURES = 20;
const WINDOW_MS = 60_000;
/** Addresses whose failures are counted; the one with the oldest window is evicted first. */
const REMEMBERED = 10_000;

interface Failures {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly count: number;
}

/**
 * Recognises administrators by their token. After 20 wrong tokens from an address, further wrong ones are refused as throttled until a minute has
 * passed since the first of them; the right token always works (R-LM8). Each gateway counts separately.
 */
export class Administrators {
  readonly #isToken: (given: string) => boolean;
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failures>();

  constructor(token: string, clock: Clock) {
    this.#isToken = isSecret(token);
    this.#clock = clock;
  }

  /**
   * @param header Authorization header, unparsed
   * @param address source address of the request
   * @throws Fault `unauthorized` for a missing or wrong token, `throttled` for too many of them
   */
  check(header: string | undefined, address: string): void {
    if (this.#isToken(secretOf(header) ?? '')) return;
    const waitMs = this.#fail(callerOf(address));
    if (waitMs > 0) throw Fault.throttled(TOO_MANY, Math.ceil(waitMs / 1000));
    throw Fault.unauthorized('missing or invalid administrator token');
  }

  /** Counts a failure; returns the remaining milliseconds of the window if there have been too many. */
  #fail(caller: string): number {
    const now = this.#clock.now();
    const known = this.#failures.get(caller);
    // A clock that was set back begins a new window.
    const isOver = !known || now < known.from || now >= known.from + WINDOW_MS;
    const { from, count } = isOver ? { from: now, count: 0 } : known;
    if (count >= MAX_FAILURES) return from + WINDOW_MS - now;
    if (isOver) this.#failures.delete(caller);
    this.#failures.set(caller, { from, count: count + 1 });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > REMEMBERED && oldest !== undefined) this.#failures.delete(oldest);
    return 0;
  }
}

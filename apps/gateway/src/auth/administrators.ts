import { secretOf } from '@tidings/contract';
import { type Clock, Fault } from '@tidings/kernel';
import { TOO_MANY } from '../envelopes/reply.ts';
import { callerOf } from './caller.ts';
import { isSecret } from './secrets.ts';

const MAX_FAILURES = 20;
const WINDOW_MS = 60_000;
const REMEMBERED = 10_000;

interface Failures {
  readonly from: number;
  readonly count: number;
}

/** Throttles wrong tokens after 20 a minute per address; the right one always works (R-LM8). */
export class Administrators {
  readonly #isToken: (given: string) => boolean;
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failures>();

  constructor(token: string, clock: Clock) {
    this.#isToken = isSecret(token);
    this.#clock = clock;
  }

  check(header: string | undefined, address: string): void {
    if (this.#isToken(secretOf(header) ?? '')) return;
    const waitMs = this.#fail(callerOf(address));
    if (waitMs > 0) throw Fault.throttled(TOO_MANY, Math.ceil(waitMs / 1000));
    throw Fault.unauthorized('missing or invalid administrator token');
  }

  #fail(caller: string): number {
    const now = this.#clock.now();
    const recent = this.#failures.get(caller);
    const isOver = !recent || now < recent.from || now >= recent.from + WINDOW_MS;
    const { from, count } = isOver ? { from: now, count: 0 } : recent;
    if (count >= MAX_FAILURES) return from + WINDOW_MS - now;
    if (isOver) this.#failures.delete(caller);
    this.#failures.set(caller, { from, count: count + 1 });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > REMEMBERED && oldest !== undefined) this.#failures.delete(oldest);
    return 0;
  }
}

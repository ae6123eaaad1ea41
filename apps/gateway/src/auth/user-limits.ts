import { hash } from 'node:crypto';
import { type Clock, Fault } from '@tidings/kernel';
import { TOO_MANY } from '../envelopes/reply.ts';
import { callerOf } from './caller.ts';

export interface UserLimit {
  readonly users: number;
  readonly remembered?: number;
}

const MINUTE_MS = 60_000;

interface Caller {
  readonly since: number;
  readonly users: Set<string>;
}

export class UserLimits {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #remembered: number;
  readonly #callers = new Map<string, Caller>();

  constructor(clock: Clock, { users, remembered = 10_000 }: UserLimit) {
    this.#clock = clock;
    this.#most = users;
    this.#remembered = remembered;
  }

  take(application: string, address: string, user: string): void {
    const caller = this.#callerAt(`${application} ${callerOf(address)}`);
    const name = hash('sha256', user, 'base64url');
    if (caller.users.has(name)) return;
    if (caller.users.size < this.#most) return void caller.users.add(name);
    const waitMs = caller.since + MINUTE_MS - this.#clock.now();
    throw Fault.throttled(TOO_MANY, Math.max(1, Math.ceil(waitMs / 1000)));
  }

  #callerAt(key: string): Caller {
    const now = this.#clock.now();
    const before = this.#callers.get(key);
    const isCurrent = before !== undefined && now >= before.since && now < before.since + MINUTE_MS;
    const caller = isCurrent ? before : { since: now, users: new Set<string>() };
    this.#callers.delete(key);
    this.#callers.set(key, caller);
    const [oldest] = this.#callers.keys();
    if (this.#callers.size > this.#remembered && oldest !== undefined) this.#callers.delete(oldest);
    return caller;
  }
}

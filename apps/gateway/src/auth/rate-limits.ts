import { type Clock, Fault } from '@tidings/kernel';
import type { Accounts, RateLimit } from '@tidings/rpc';
import { TOO_MANY } from '../envelopes/reply.ts';
import type { Token } from './access.ts';

/** For how long a gateway may hold requests that nobody has made yet: nobody else can make them meanwhile (R-LM2). */
const AHEAD_MS = 250;
/** For how long a gateway believes that nothing is left, whatever it was told: another one may give back what it holds. */
const REFUSE_MS = 1000;
/** Tokens that are remembered; the one that was seen first is forgotten first. */
const MAX_TOKENS = 100_000;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The requests of a token's bucket that this gateway may use. Times are in milliseconds since 1970. */
class Share {
  readonly limit: RateLimit;
  /** Granted, and not used yet. */
  left = 0;
  /** When what is left was granted; it counts for `AHEAD_MS`. */
  grantedAt = 0;
  /** When the bucket was last found empty, and when it has a request again. */
  emptyAt = 0;
  freeAt = 0;
  /** Requests that wait for the next grant. */
  waiting: Waiting[] = [];
  isAsking = false;

  constructor(limit: RateLimit) {
    this.limit = limit;
  }

  /** Whether a moment is past, and by no more than `ms`; a clock that was set back makes it no longer count. */
  static isWithin(at: number, ms: number, now: number): boolean {
    return now >= at && now - at < ms;
  }
}

/**
 * Holds each token to its limit: a bucket of as many requests as it is granted, which fills again in the time that goes with it (R-LM2). The registry
 * has the bucket, for all gateways. Each takes what it needs; where requests follow one another, it also takes what grows back in `AHEAD_MS`, so that
 * the registry is asked at most some four times a second for a token.
 */
export class RateLimits {
  readonly #accounts: Pick<Accounts, 'takeRequests'>;
  readonly #clock: Clock;
  /** By the ids of tokens; those without a limit have none. */
  readonly #shares = new Map<string, Share>();

  constructor(accounts: Pick<Accounts, 'takeRequests'>, clock: Clock) {
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /**
   * Counts a request; at once where the gateway knows the answer. Throws or rejects a Fault: `throttled` where there have been too many, and that one
   * does not count; `unavailable` where the registry does not answer.
   */
  take({ id, rateLimit }: Pick<Token, 'id' | 'rateLimit'>): void | Promise<void> {
    if (!rateLimit) return;
    const share = this.#shareOf(id, rateLimit);
    const now = this.#clock.now();
    if (share.left > 0 && Share.isWithin(share.grantedAt, AHEAD_MS, now)) {
      share.left -= 1;
      return;
    }
    if (share.freeAt > now && Share.isWithin(share.emptyAt, REFUSE_MS, now)) throw tooMany(share.freeAt - now);
    return new Promise((resolve, reject) => {
      share.waiting.push({ resolve, reject });
      if (!share.isAsking) void this.#ask(id, share);
    });
  }

  #shareOf(id: string, limit: RateLimit): Share {
    const known = this.#shares.get(id);
    if (known?.limit.requests === limit.requests && known.limit.seconds === limit.seconds) return known;
    const share = new Share(limit);
    this.#shares.delete(id);
    this.#shares.set(id, share);
    if (this.#shares.size > MAX_TOKENS) this.#shares.delete(this.#shares.keys().next().value!);
    return share;
  }

  /** Asks for all who wait, until nobody does. */
  async #ask(id: string, share: Share): Promise<void> {
    share.isAsking = true;
    // One call covers all requests of the same turn of the event loop.
    await Promise.resolve();
    while (share.waiting.length > 0) {
      const group = share.waiting;
      share.waiting = [];
      try {
        await this.#askFor(group, id, share);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    share.isAsking = false;
  }

  async #askFor(group: readonly Waiting[], id: string, share: Share): Promise<void> {
    const { requests, seconds } = share.limit;
    const isBusy = Share.isWithin(share.grantedAt, 2 * AHEAD_MS, this.#clock.now());
    const ahead = isBusy ? Math.floor((requests * AHEAD_MS) / (seconds * 1000)) : 0;
    const unused = share.left;
    share.left = 0;
    const { granted, waitMs } = await this.#accounts.takeRequests({
      id,
      rateLimit: share.limit,
      wanted: group.length + ahead,
      unused,
    });
    const now = this.#clock.now();
    share.grantedAt = now;
    share.left = Math.max(0, granted - group.length);
    share.emptyAt = now;
    share.freeAt = now + waitMs;
    group.slice(0, granted).forEach(({ resolve }) => resolve());
    group.slice(granted).forEach(({ reject }) => reject(tooMany(waitMs)));
  }
}

const tooMany = (waitMs: number): Fault => Fault.throttled(TOO_MANY, Math.max(1, Math.ceil(waitMs / 1000)));

import { type Clock, Fault } from '@tidings/kernel';
import type { RateLimit, Tokens } from '@tidings/rpc';
import { TOO_MANY } from '../envelopes/reply.ts';
import type { Token } from './access.ts';

/** How long a gateway may hold prefetched requests, which no other gateway can use meanwhile (R-LM2). */
const AHEAD_MS = 250;
/** How long a gateway treats a bucket as empty at most: another gateway may return the requests that it holds. */
const REFUSE_MS = 1000;
/** Tokens tracked; the first one seen is evicted first. */
const MAX_TOKENS = 100_000;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The requests of a token's bucket that this gateway may use. Times are in milliseconds since 1970. */
class Share {
  readonly limit: RateLimit;
  /** Granted and unused. */
  left = 0;
  /** When `left` was granted; it expires after `AHEAD_MS`. */
  grantedAt = 0;
  /** When the bucket was last found empty, and when it has a request again. */
  emptyAt = 0;
  freeAt = 0;
  /** Requests waiting for the next grant. */
  waiting: Waiting[] = [];
  isAsking = false;

  constructor(limit: RateLimit) {
    this.limit = limit;
  }

  /** Whether a moment is at most `ms` in the past; a moment in the future, after the clock was set back, does not count. */
  static isWithin(at: number, ms: number, now: number): boolean {
    return now >= at && now - at < ms;
  }
}

/**
 * Holds each token to its limit: a bucket with as many requests as the limit allows, refilled over the period of the limit (R-LM2). The registry
 * keeps the bucket for all gateways. Each gateway takes what it needs; for a continuous stream of requests it also takes what grows back in
 * `AHEAD_MS`, so that it asks the registry at most about four times a second per token.
 */
export class RateLimits {
  readonly #tokens: Pick<Tokens, 'takeRequests'>;
  readonly #clock: Clock;
  /** Shares by token id; a token without a limit has no share. */
  readonly #shares = new Map<string, Share>();

  constructor(tokens: Pick<Tokens, 'takeRequests'>, clock: Clock) {
    this.#tokens = tokens;
    this.#clock = clock;
  }

  /**
   * Counts a request; synchronous if the gateway knows the answer. Throws or rejects a Fault: `throttled` if there have been too many, and the
   * refused request does not count; `unavailable` if the registry does not answer.
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

  /** Asks the registry on behalf of all waiting requests, until none waits. */
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
    const { granted, waitMs } = await this.#tokens.takeRequests({
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

import { type Clock, Fault } from '@tidings/kernel';
import type { RateLimit, Tokens } from '@tidings/rpc';
import { TOO_MANY } from '../envelopes/reply.ts';
import type { Token } from './access.ts';

/** Other gateways cannot use prefetched requests for this time (R-LM2). */
const AHEAD_MS = 250;
/** A refusal is not reused for longer: other gateways may return requests. */
const REFUSE_MS = 1000;
const MAX_TOKENS = 100_000;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class Share {
  readonly limit: RateLimit;
  remaining = 0;
  grantedAt = 0;
  emptyAt = 0;
  freeAt = 0;
  waiting: Waiting[] = [];
  isRequesting = false;

  constructor(limit: RateLimit) {
    this.limit = limit;
  }

  /** False for a moment in the future: the clock was set back. */
  static isWithin(at: number, ms: number, now: number): boolean {
    return now >= at && now - at < ms;
  }
}

/** The registry keeps one bucket per token; prefetching costs it about four calls a second (R-LM2). */
export class RateLimits {
  readonly #tokens: Pick<Tokens, 'takeRequests'>;
  readonly #clock: Clock;
  readonly #shares = new Map<string, Share>();

  constructor(tokens: Pick<Tokens, 'takeRequests'>, clock: Clock) {
    this.#tokens = tokens;
    this.#clock = clock;
  }

  /** A refused request does not count. */
  take({ id, rateLimit }: Pick<Token, 'id' | 'rateLimit'>): void | Promise<void> {
    if (!rateLimit) return;
    const share = this.#shareOf(id, rateLimit);
    const now = this.#clock.now();
    if (share.remaining > 0 && Share.isWithin(share.grantedAt, AHEAD_MS, now)) {
      share.remaining -= 1;
      return;
    }
    if (share.freeAt > now && Share.isWithin(share.emptyAt, REFUSE_MS, now)) throw tooMany(share.freeAt - now);
    return new Promise((resolve, reject) => {
      share.waiting.push({ resolve, reject });
      if (!share.isRequesting) void this.#request(id, share);
    });
  }

  #shareOf(id: string, limit: RateLimit): Share {
    const current = this.#shares.get(id);
    if (current?.limit.requests === limit.requests && current.limit.seconds === limit.seconds) return current;
    const share = new Share(limit);
    this.#shares.delete(id);
    this.#shares.set(id, share);
    if (this.#shares.size > MAX_TOKENS) this.#shares.delete(this.#shares.keys().next().value!);
    return share;
  }

  async #request(id: string, share: Share): Promise<void> {
    share.isRequesting = true;
    // One call for all requests of this turn of the event loop.
    await Promise.resolve();
    while (share.waiting.length > 0) {
      const group = share.waiting;
      share.waiting = [];
      try {
        await this.#requestFor(group, id, share);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    share.isRequesting = false;
  }

  async #requestFor(group: readonly Waiting[], id: string, share: Share): Promise<void> {
    const { requests, seconds } = share.limit;
    const isBusy = Share.isWithin(share.grantedAt, 2 * AHEAD_MS, this.#clock.now());
    const ahead = isBusy ? Math.floor((requests * AHEAD_MS) / (seconds * 1000)) : 0;
    const unused = share.remaining;
    share.remaining = 0;
    const { granted, waitMs } = await this.#tokens.takeRequests({
      id,
      rateLimit: share.limit,
      requested: group.length + ahead,
      unused,
    });
    const now = this.#clock.now();
    share.grantedAt = now;
    share.remaining = Math.max(0, granted - group.length);
    share.emptyAt = now;
    share.freeAt = now + waitMs;
    group.slice(0, granted).forEach(({ resolve }) => resolve());
    group.slice(granted).forEach(({ reject }) => reject(tooMany(waitMs)));
  }
}

const tooMany = (waitMs: number): Fault => Fault.throttled(TOO_MANY, Math.max(1, Math.ceil(waitMs / 1000)));

import type { TokenReply } from './oauth/token-replies.ts';
import type { IgnoredCommand } from './sms/smpp-wire.ts';

/** Faults of a whole provider, independent of the token. */
export interface ProviderFaults {
  /** Refuses connections and resets the open ones; the port stays the same after recovery. */
  down: boolean;
  /** Reads and writes nothing, not even PING; connections stay open, and waiting data flows when the fault ends. */
  blackhole: boolean;
  /** Milliseconds before every answer. */
  latencyMs: number;
  /** Every n-th stream of a connection is followed by GOAWAY, over HTTP/1.1 by its end; 0 = never. */
  goawayEvery: number;
  /** Every n-th stream, over HTTP/1.1 every n-th request of a connection, is reset unread; 0 = never. */
  resetEvery: number;
  /** Every request is refused with this reason: one of APNS_REASONS, FCM_ERRORS or OAUTH_ERRORS. Of an SMSC: every bind, with this status. */
  answer: string | null;
  /** The reply of the address that issues access tokens, in place of its own. */
  tokenReply: TokenReply | null;
  /** The commands that an SMSC leaves without an answer. */
  ignoredCommand: IgnoredCommand | null;
  /** Value of `Retry-After` on 429 and 503. */
  retryAfterSeconds: number;
}

export const noFaults: Readonly<ProviderFaults> = {
  down: false,
  blackhole: false,
  latencyMs: 0,
  goawayEvery: 0,
  resetEvery: 0,
  answer: null,
  tokenReply: null,
  ignoredCommand: null,
  retryAfterSeconds: 1,
};

/** Applies faults to a provider's network; resolves when done. */
type Enact = (faults: Readonly<ProviderFaults>) => Promise<void>;

/** The faults of every provider; the objects returned by `of` are live. */
export class Faults {
  readonly #byProvider: ReadonlyMap<string, ProviderFaults>;
  readonly #enact = new Map<string, Enact>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #base: Readonly<ProviderFaults>;

  /** @param base the faults at the start and after `clear` */
  constructor(providers: Iterable<string>, base: Partial<ProviderFaults> = {}) {
    this.#base = { ...noFaults, ...base };
    this.#byProvider = new Map(Array.from(providers, (name) => [name, { ...this.#base }]));
  }

  /** @throws RangeError for an unknown provider */
  of(provider: string): Readonly<ProviderFaults> {
    return this.#of(provider);
  }

  /** The faults of every provider, by its name. */
  all(): Readonly<Record<string, Readonly<ProviderFaults>>> {
    return Object.fromEntries(this.#byProvider);
  }

  enactWith(provider: string, enact: Enact): void {
    this.#enact.set(provider, enact);
  }

  /**
   * Changes some faults of one provider, or of `all`, and resolves when the network shows the change.
   * @param forMs reverts the change after this time
   */
  async set(provider: string, change: Partial<ProviderFaults>, forMs?: number): Promise<void> {
    const names = provider === 'all' ? [...this.#byProvider.keys()] : [provider];
    const before = names.map((name) => [name, this.#pick(name, change)] as const);
    await Promise.all(names.map((name) => this.#change(name, change)));
    if (forMs === undefined) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      for (const [name, values] of before) void this.#change(name, values);
    }, forMs);
    this.#timers.add(timer);
  }

  /** Ends every fault. */
  async clear(): Promise<void> {
    this.#stopTimers();
    await Promise.all(Array.from(this.#byProvider.keys(), (name) => this.#change(name, this.#base)));
  }

  close(): void {
    this.#stopTimers();
    this.#enact.clear();
  }

  #pick(name: string, change: Partial<ProviderFaults>): Partial<ProviderFaults> {
    const current = this.#of(name);
    return Object.fromEntries(Object.keys(change).map((key) => [key, current[key as keyof ProviderFaults]]));
  }

  async #change(name: string, change: Partial<ProviderFaults>): Promise<void> {
    const faults = Object.assign(this.#of(name), change);
    await this.#enact.get(name)?.(faults);
  }

  #of(name: string): ProviderFaults {
    const faults = this.#byProvider.get(name);
    if (!faults) throw new RangeError(`no provider ${name}`);
    return faults;
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}

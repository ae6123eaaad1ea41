import { type ProviderName, providerNames } from './provider.ts';

/** What goes wrong at a whole provider, whatever the token. */
export interface ProviderFaults {
  /** Refuses connections and has reset those that were open; the port stays the same when it comes back. */
  down: boolean;
  /** Reads and writes nothing, not even PING; connections stay open, and what waited flows when it ends. */
  blackhole: boolean;
  /** Milliseconds before every answer. */
  latencyMs: number;
  /** Every n-th stream of a connection is followed by GOAWAY; 0 = never. */
  goawayEvery: number;
  /** Every n-th stream is reset unread; 0 = never. */
  resetEvery: number;
  /** Every request is refused for this reason: one of APNS_REASONS, FCM_ERRORS or OAUTH_ERRORS. */
  answer: string | null;
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
  retryAfterSeconds: 1,
};

/** Brings a provider's network in line with its faults; resolves when done. */
type Enact = (faults: Readonly<ProviderFaults>) => Promise<void>;

/** The faults of every provider; the objects that `of` gives are live. */
export class Faults {
  readonly #byProvider: Record<ProviderName, ProviderFaults>;
  readonly #enact = new Map<ProviderName, Enact>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #base: Readonly<ProviderFaults>;

  /** @param base what holds at the start and when all is cleared */
  constructor(base: Partial<ProviderFaults> = {}) {
    this.#base = { ...noFaults, ...base };
    const entries = providerNames.map((name) => [name, { ...this.#base }]);
    this.#byProvider = Object.fromEntries(entries) as Record<ProviderName, ProviderFaults>;
  }

  of(provider: ProviderName): Readonly<ProviderFaults> {
    return this.#byProvider[provider];
  }

  enactWith(provider: ProviderName, enact: Enact): void {
    this.#enact.set(provider, enact);
  }

  /**
   * Changes some faults of one provider or of all, and resolves when the network shows it.
   * @param forMs puts back what was changed after this time
   */
  async set(provider: ProviderName | 'all', change: Partial<ProviderFaults>, forMs?: number): Promise<void> {
    const names = provider === 'all' ? providerNames : [provider];
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
    await Promise.all(providerNames.map((name) => this.#change(name, this.#base)));
  }

  close(): void {
    this.#stopTimers();
    this.#enact.clear();
  }

  #pick(name: ProviderName, change: Partial<ProviderFaults>): Partial<ProviderFaults> {
    const current = this.#byProvider[name];
    return Object.fromEntries(Object.keys(change).map((key) => [key, current[key as keyof ProviderFaults]]));
  }

  async #change(name: ProviderName, change: Partial<ProviderFaults>): Promise<void> {
    Object.assign(this.#byProvider[name], change);
    await this.#enact.get(name)?.(this.#byProvider[name]);
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}

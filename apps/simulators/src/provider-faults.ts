import type { TokenReply } from './oauth/token-replies.ts';
import type { IgnoredCommand } from './sms/smpp-wire.ts';

export interface ProviderFaults {
  /** Refuses connections and resets open ones; keeps its port. */
  down: boolean;
  /** Reads and writes nothing, not even PING; waiting data flows when the fault ends. */
  blackhole: boolean;
  /** Before every answer. */
  latencyMs: number;
  /** After every n-th stream of a connection; HTTP/1.1 ends instead. 0 = never. */
  goawayEvery: number;
  /** Every n-th stream, or request over HTTP/1.1, is reset unread. 0 = never. */
  resetEvery: number;
  /** One of APNS_REASONS, FCM_ERRORS or OAUTH_ERRORS; of an SMSC the status of every bind. */
  answer: string | null;
  tokenReply: TokenReply | null;
  /** Left without an answer by an SMSC. */
  ignoredCommand: IgnoredCommand | null;
  /** On 429 and 503. */
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

type Enact = (faults: Readonly<ProviderFaults>) => Promise<void>;

/** The objects returned by `of` are live. */
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

  all(): Readonly<Record<string, Readonly<ProviderFaults>>> {
    return Object.fromEntries(this.#byProvider);
  }

  enactWith(provider: string, enact: Enact): void {
    this.#enact.set(provider, enact);
  }

  /** One provider or `all`; resolves when the network shows it. @param forMs reverts the change after this time */
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

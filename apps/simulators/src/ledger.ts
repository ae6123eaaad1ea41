import type { LedgerOptions, LedgerSummary } from './ledger/entries.ts';
import { ProviderLedger } from './ledger/provider-ledger.ts';
import { type ProviderName, providerNames } from './provider.ts';

/** How each provider names a push that came without an id. */
export type Identify = Readonly<Record<ProviderName, (row: number) => string>>;

/** What every provider was sent since the start or the last reset. */
export class Ledger {
  readonly #now: () => number;
  readonly #identify: Identify;
  readonly #options: LedgerOptions;
  #byProvider: Record<ProviderName, ProviderLedger>;

  constructor(now: () => number, identify: Identify, options: LedgerOptions = {}) {
    this.#now = now;
    this.#identify = identify;
    this.#options = options;
    this.#byProvider = this.#empty(options);
  }

  of(provider: ProviderName): ProviderLedger {
    return this.#byProvider[provider];
  }

  summary(): Record<ProviderName, LedgerSummary> {
    const { apns, fcm, 'google-oauth': oauth } = this.#byProvider;
    return { apns: apns.summary(), fcm: fcm.summary(), 'google-oauth': oauth.summary() };
  }

  /** Starts anew; options given here replace those of the start until the next reset. */
  reset(options: LedgerOptions = {}): void {
    this.#byProvider = this.#empty({ ...this.#options, ...options });
  }

  #empty(options: LedgerOptions): Record<ProviderName, ProviderLedger> {
    const entries = providerNames.map((name) => [name, new ProviderLedger(this.#now, this.#identify[name], options)]);
    return Object.fromEntries(entries) as Record<ProviderName, ProviderLedger>;
  }
}

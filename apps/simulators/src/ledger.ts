import type { LedgerOptions, LedgerSummary } from './ledger/entries.ts';
import { ProviderLedger } from './ledger/provider-ledger.ts';
import type { ProviderName } from './provider.ts';

export type Identify = ReadonlyMap<string, (row: number) => string>;

export class Ledger {
  readonly #now: () => number;
  readonly #identify: Identify;
  readonly #options: LedgerOptions;
  #byProvider: ReadonlyMap<string, ProviderLedger>;

  constructor(now: () => number, identify: Identify, options: LedgerOptions = {}) {
    this.#now = now;
    this.#identify = identify;
    this.#options = options;
    this.#byProvider = this.#empty(options);
  }

  /** @throws RangeError for an unknown provider */
  of(provider: string): ProviderLedger {
    const ledger = this.#byProvider.get(provider);
    if (!ledger) throw new RangeError(`no provider ${provider}`);
    return ledger;
  }

  summary(): Record<ProviderName, LedgerSummary> {
    const summaries = Array.from(this.#byProvider, ([name, ledger]) => [name, ledger.summary()]);
    return Object.fromEntries(summaries) as Record<ProviderName, LedgerSummary>;
  }

  /** Options override those of the start until the next reset. */
  reset(options: LedgerOptions = {}): void {
    this.#byProvider = this.#empty({ ...this.#options, ...options });
  }

  #empty(options: LedgerOptions): ReadonlyMap<string, ProviderLedger> {
    return new Map(
      Array.from(this.#identify, ([name, identify]) => [name, new ProviderLedger(this.#now, identify, options)]),
    );
  }
}

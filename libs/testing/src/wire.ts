import { parseStatisticsHash } from '@tidings/messaging';
import type { LedgerEntry, ProviderName, Simulators } from '@tidings/simulators';

/** Reads each entry once. Create a new one after a reset. */
export class Wire {
  readonly #simulators: Pick<Simulators, 'ledger'>;
  readonly #providers: readonly ProviderName[];
  readonly #pushes = new Map<string, LedgerEntry[]>();
  readonly #read = new Map<ProviderName, number>();
  readonly #codes = new Map<string, string>();

  constructor(simulators: Pick<Simulators, 'ledger'>, providers: readonly ProviderName[] = ['apns', 'fcm']) {
    this.#simulators = simulators;
    this.#providers = providers;
  }

  /** Accepted or not, in order. */
  of(code: string, provider?: ProviderName): readonly LedgerEntry[] {
    const names = provider ? [provider] : this.#providers;
    return names.flatMap((name) => {
      this.#readOn(name);
      return this.#pushes.get(`${name} ${code}`) ?? [];
    });
  }

  rows(provider: ProviderName): number {
    this.#readOn(provider);
    return this.#read.get(provider)!;
  }

  #readOn(provider: ProviderName): void {
    const offset = this.#read.get(provider) ?? 0;
    const entries = this.#simulators.ledger.of(provider).entries({ offset, limit: Infinity });
    this.#read.set(provider, offset + entries.length);
    for (const entry of entries) {
      const key = `${provider} ${this.#codeOf(entry.hash)}`;
      const existing = this.#pushes.get(key);
      if (existing) existing.push(entry);
      else this.#pushes.set(key, [entry]);
    }
  }

  #codeOf(hash: string): string {
    const message = hash.slice(0, hash.lastIndexOf('_'));
    const existing = this.#codes.get(message);
    if (existing !== undefined) return existing;
    const code = parseStatisticsHash(hash)!.code;
    this.#codes.set(message, code);
    return code;
  }
}

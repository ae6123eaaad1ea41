const REMEMBERED = 20_000;

/** A combined key would allocate a string per registration. */
type Owners = Map<string, Map<string, string>>;

/** Detects a moved token without a query; `keepTokensUnique` covers other processes. */
export class RecentOwners {
  readonly #remembered: number;
  #young: Owners = new Map();
  #old: Owners = new Map();
  #noted = 0;

  constructor(remembered = REMEMBERED) {
    this.#remembered = remembered;
  }

  take(app: string, tokenHash: string, device: string): boolean {
    const before = this.#young.get(app)?.get(tokenHash) ?? this.#old.get(app)?.get(tokenHash);
    if (before === device) return false;
    if (this.#noted === this.#remembered) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#noted = 0;
    }
    let young = this.#young.get(app);
    if (!young) this.#young.set(app, (young = new Map<string, string>()));
    young.set(tokenHash, device);
    this.#noted++;
    return before !== undefined;
  }
}

/** Tokens that are remembered at least; at most it is twice as many. */
const REMEMBERED = 20_000;

/** Devices by the hash of their token, by application: a key made of both would be a new text per registration. */
type Owners = Map<string, Map<string, string>>;

/**
 * Which device registered a push token last, for the newest of those that this process was told: it tells without a question to the store that
 * a token has just moved. What it has forgotten, and what other processes were told, `keepTokensUnique` finds.
 */
export class RecentOwners {
  readonly #remembered: number;
  #young: Owners = new Map();
  #old: Owners = new Map();
  #noted = 0;

  constructor(remembered = REMEMBERED) {
    this.#remembered = remembered;
  }

  /** Notes that a device registers a token. @returns whether another device is known to have done so before. */
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

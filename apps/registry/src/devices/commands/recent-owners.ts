/** Minimum number of remembered tokens; the maximum is twice as many. */
const REMEMBERED = 20_000;

/** Devices by the hash of their token, by application. A combined key would allocate a string per registration. */
type Owners = Map<string, Map<string, string>>;

/**
 * The device that last registered a push token, for the most recent tokens of this process: detects without a query that a token has just moved.
 * `keepTokensUnique` covers forgotten tokens and other processes.
 */
export class RecentOwners {
  readonly #remembered: number;
  #young: Owners = new Map();
  #old: Owners = new Map();
  #noted = 0;

  constructor(remembered = REMEMBERED) {
    this.#remembered = remembered;
  }

  /** Records that a device registers a token. @returns whether another device is known to have registered it before */
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

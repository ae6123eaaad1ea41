const FIRST_SLOTS = 1024;

/** Open addressing by (token, message), with the hash of the collapse id as the value. */
class Generation {
  size = 0;
  #tokens = new Uint32Array(FIRST_SLOTS);
  #messages = new Uint32Array(FIRST_SLOTS);
  #collapses = new Uint32Array(FIRST_SLOTS);

  /** -1 without the pair. */
  get(token: number, message: number): number {
    const slot = this.#slotOf(token, message);
    return this.#tokens[slot] === 0 ? -1 : this.#collapses[slot]!;
  }

  add(token: number, message: number, collapse: number): void {
    if (this.size * 2 >= this.#tokens.length) this.#double();
    const slot = this.#slotOf(token, message);
    this.#tokens[slot] = token + 1;
    this.#messages[slot] = message;
    this.#collapses[slot] = collapse;
    this.size++;
  }

  #slotOf(token: number, message: number): number {
    const mask = this.#tokens.length - 1;
    let slot = (Math.imul(token, 0x9e3779b1) ^ Math.imul(message, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & mask;
    while (this.#tokens[slot] !== 0 && (this.#tokens[slot] !== token + 1 || this.#messages[slot] !== message)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #double(): void {
    const [tokens, messages, collapses] = [this.#tokens, this.#messages, this.#collapses];
    this.#tokens = new Uint32Array(tokens.length * 2);
    this.#messages = new Uint32Array(tokens.length * 2);
    this.#collapses = new Uint32Array(tokens.length * 2);
    for (let i = 0; i < tokens.length; i++) {
      if (tokens[i] === 0) continue;
      const slot = this.#slotOf(tokens[i]! - 1, messages[i]!);
      this.#tokens[slot] = tokens[i]!;
      this.#messages[slot] = messages[i]!;
      this.#collapses[slot] = collapses[i]!;
    }
  }
}

/** Remembers at least the last `capacity` pairs, at most twice as many, in 24 to 48 bytes each. */
export class PairTable {
  #young = new Generation();
  #old = new Generation();
  readonly #capacity: number;
  #forgotten = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Duplicates of dropped pairs go undetected. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** @returns -1 for a new pair, else its first collapse hash */
  record(token: number, message: number, collapse: number): number {
    const young = this.#young.get(token, message);
    if (young >= 0) return young;
    const old = this.#old.get(token, message);
    if (old >= 0) return old;
    if (this.#young.size >= this.#capacity) {
      this.#forgotten += this.#old.size;
      this.#old = this.#young;
      this.#young = new Generation();
    }
    this.#young.add(token, message, collapse);
    return -1;
  }
}

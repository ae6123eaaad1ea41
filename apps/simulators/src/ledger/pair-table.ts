const FIRST_SLOTS = 1024;

/** Open addressing by (token, message), with the hash of the collapse id as the value. */
class Generation {
  size = 0;
  #tokens = new Uint32Array(FIRST_SLOTS);
  #messages = new Uint32Array(FIRST_SLOTS);
  #collapses = new Uint32Array(FIRST_SLOTS);

  /** The value of the pair, or -1. */
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

/**
 * Remembers which messages each device token has accepted, for at least the last `capacity` pairs and at most twice as many: when a generation is
 * full, the previous one is dropped. 24 to 48 bytes a pair.
 */
export class PairTable {
  #young = new Generation();
  #old = new Generation();
  readonly #capacity: number;
  #forgotten = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Number of dropped pairs; their duplicates go undetected. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Records the pair. Returns -1 if it is new, else the collapse hash that it was first recorded with. */
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

import { grown, hashBytes } from './grow.ts';

const CHUNK_BYTES = 1 << 20;
const LONGEST = 4096;

/** Takes a string's bytes plus some 25, against over a hundred in a Map; truncates beyond 4096 characters. */
export class StringTable {
  #chunks: Buffer[] = [];
  #free = 0;
  #starts = new Float64Array(64);
  #lengths = new Uint16Array(64);
  #hashes = new Uint32Array(64);
  /** Number plus one; 0 is free. */
  #slots = new Uint32Array(256);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  intern(text: string): number {
    const kept = text.length > LONGEST ? text.slice(0, LONGEST) : text;
    const chunk = this.#chunkFor(kept.length * 3);
    const start = this.#free;
    const length = chunk.write(kept, start, 'utf8');
    const hash = hashBytes(chunk, start, start + length);
    const slot = this.#slotOf(hash, chunk, start, length);
    const entry = this.#slots[slot]!;
    if (entry > 0) return entry - 1;
    return this.#add(slot, hash, start, length);
  }

  /** Undefined if never interned. */
  find(text: string): number | undefined {
    const bytes = Buffer.from(text.slice(0, LONGEST), 'utf8');
    const slot = this.#slotOf(hashBytes(bytes, 0, bytes.length), bytes, 0, bytes.length);
    const entry = this.#slots[slot]!;
    return entry > 0 ? entry - 1 : undefined;
  }

  get(number: number): string {
    const address = this.#starts[number]!;
    const start = address % CHUNK_BYTES;
    return this.#chunks[Math.floor(address / CHUNK_BYTES)]!.toString('utf8', start, start + this.#lengths[number]!);
  }

  #chunkFor(bytes: number): Buffer {
    if (this.#chunks.length === 0 || this.#free + bytes > CHUNK_BYTES) {
      this.#chunks.push(Buffer.allocUnsafeSlow(CHUNK_BYTES));
      this.#free = 0;
    }
    return this.#chunks[this.#chunks.length - 1]!;
  }

  #slotOf(hash: number, bytes: Uint8Array, start: number, length: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const entry = this.#slots[slot]!;
      if (entry === 0) return slot;
      if (this.#hashes[entry - 1] === hash && this.#same(entry - 1, bytes, start, length)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #same(number: number, bytes: Uint8Array, start: number, length: number): boolean {
    if (this.#lengths[number] !== length) return false;
    const address = this.#starts[number]!;
    const chunk = this.#chunks[Math.floor(address / CHUNK_BYTES)]!;
    const offset = address % CHUNK_BYTES;
    for (let i = 0; i < length; i++) if (chunk[offset + i] !== bytes[start + i]) return false;
    return true;
  }

  #add(slot: number, hash: number, start: number, length: number): number {
    const number = this.#size++;
    this.#starts = grown(this.#starts, this.#size);
    this.#lengths = grown(this.#lengths, this.#size);
    this.#hashes = grown(this.#hashes, this.#size);
    this.#starts[number] = (this.#chunks.length - 1) * CHUNK_BYTES + start;
    this.#lengths[number] = length;
    this.#hashes[number] = hash;
    this.#slots[slot] = this.#size;
    this.#free = start + length;
    if (this.#size * 2 > this.#slots.length) this.#rehash();
    return number;
  }

  #rehash(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let slot = this.#hashes[number]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

const WORDS = 2048;
const WORDS_BYTES = WORDS * 4;
const ARRAY_LIMIT = 4096;
/** Beyond, setting bits and reading them in order costs less than sorting. */
const SORTED_BELOW = 512;

const Form = {
  Array: 0,
  Runs: 1,
  Words: 2,
} as const;
type Form = (typeof Form)[keyof typeof Form];

function bits(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return (((n + (n >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** An immutable set of positions 0 to 65,535, at most 8 KiB encoded. */
export class Bitmap {
  static readonly empty = new Bitmap(new Uint16Array(0), undefined, 0);

  readonly #array: Uint16Array | undefined;
  readonly #words: Uint32Array | undefined;
  readonly size: number;

  private constructor(array: Uint16Array | undefined, words: Uint32Array | undefined, size: number) {
    this.#array = array;
    this.#words = words;
    this.size = size;
  }

  static of(positions: Iterable<number> | Uint16Array): Bitmap {
    const given = positions instanceof Uint16Array ? positions : Uint16Array.from(positions);
    if (given.length >= SORTED_BELOW) return Bitmap.#ofWords(wordsOf(given));
    const sorted = given.toSorted();
    let length = 0;
    for (let i = 0; i < sorted.length; i++) {
      if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[length++] = sorted[i]!;
    }
    return Bitmap.#ofSorted(sorted.subarray(0, length));
  }

  static union(sets: readonly Bitmap[]): Bitmap {
    const [first = Bitmap.empty, ...others] = sets.filter(({ size }) => size > 0);
    if (others.length === 0) return first;
    const words = first.#toWords();
    for (const other of others) other.#addTo(words);
    return Bitmap.#ofWords(words);
  }

  static areDisjoint(sets: readonly Bitmap[]): boolean {
    const words = new Uint32Array(WORDS);
    let members = 0;
    for (const set of sets) {
      set.#addTo(words);
      members += set.size;
    }
    return sizeOf(words) === members;
  }

  /** The caller must not change the words afterwards. */
  static ofWords(words: Uint32Array): Bitmap {
    if (words.length !== WORDS) throw new RangeError('bitmap: words of a wrong length');
    return Bitmap.#ofWords(words);
  }

  static #ofSorted(array: Uint16Array): Bitmap {
    if (array.length === 0) return Bitmap.empty;
    if (array.length <= ARRAY_LIMIT) return new Bitmap(array, undefined, array.length);
    return new Bitmap(undefined, wordsOf(array), array.length);
  }

  static #ofWords(words: Uint32Array): Bitmap {
    const size = sizeOf(words);
    if (size === 0) return Bitmap.empty;
    if (size > ARRAY_LIMIT) return new Bitmap(undefined, words, size);
    const array = new Uint16Array(size);
    let n = 0;
    for (let i = 0; i < WORDS; i++) {
      for (let word = words[i]!; word !== 0; word &= word - 1) array[n++] = (i << 5) + 31 - Math.clz32(word & -word);
    }
    return new Bitmap(array, undefined, size);
  }

  has(position: number): boolean {
    if (this.#words) return ((this.#words[position >>> 5]! >>> (position & 31)) & 1) === 1;
    return this.#array![this.rank(position)] === position;
  }

  /** Members smaller than `position`. */
  rank(position: number): number {
    if (this.#words) {
      const word = position >>> 5;
      let n = 0;
      for (let i = 0; i < word; i++) n += bits(this.#words[i]!);
      return n + bits(this.#words[word]! & ((1 << (position & 31)) - 1));
    }
    const array = this.#array!;
    let low = 0;
    let high = array.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (array[middle]! < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Ascending. The caller must not change the array. */
  positions(): Uint16Array {
    if (this.#array) return this.#array;
    const array = new Uint16Array(this.size);
    let n = 0;
    for (let i = 0; i < WORDS; i++) {
      for (let word = this.#words![i]!; word !== 0; word &= word - 1)
        array[n++] = (i << 5) + 31 - Math.clz32(word & -word);
    }
    return array;
  }

  slice(from: number, to: number): Bitmap {
    return Bitmap.#ofSorted(this.positions().slice(from, to));
  }

  union(other: Bitmap): Bitmap {
    return Bitmap.union([this, other]);
  }

  /** Any order, possibly repeated: bit `b` of word `w` is position 32w + b. */
  eachWord(visit: (word: number, bits: number) => void): void {
    if (this.#words) {
      for (let i = 0; i < WORDS; i++) if (this.#words[i] !== 0) visit(i, this.#words[i]!);
    } else for (const position of this.#array!) visit(position >>> 5, 1 << (position & 31));
  }

  intersect(other: Bitmap): Bitmap {
    if (this.#array) return Bitmap.#ofSorted(this.#array.filter((position) => other.has(position)));
    if (other.#array) return other.intersect(this);
    const words = this.#toWords();
    for (let i = 0; i < WORDS; i++) words[i]! &= other.#words![i]!;
    return Bitmap.#ofWords(words);
  }

  minus(other: Bitmap): Bitmap {
    if (other.size === 0 || this.size === 0) return this;
    if (this.#array) return Bitmap.#ofSorted(this.#array.filter((position) => !other.has(position)));
    const words = this.#toWords();
    if (other.#words) for (let i = 0; i < WORDS; i++) words[i]! &= ~other.#words[i]!;
    else for (const position of other.#array!) words[position >>> 5]! &= ~(1 << (position & 31));
    return Bitmap.#ofWords(words);
  }

  equals(other: Bitmap): boolean {
    return this.size === other.size && this.intersect(other).size === this.size;
  }

  #toWords(): Uint32Array {
    return this.#words?.slice() ?? wordsOf(this.#array!);
  }

  #addTo(words: Uint32Array): void {
    if (this.#words) for (let i = 0; i < WORDS; i++) words[i]! |= this.#words[i]!;
    else for (const position of this.#array!) words[position >>> 5]! |= 1 << (position & 31);
  }

  /** A form byte, then little-endian 16-bit members, (first, last) runs, or the words. */
  encode(): Uint8Array {
    const runs = this.#words ? runsIn(this.#words) : runsAmong(this.#array!);
    const form = smallest(this.size * 2, runs * 4);
    if (form === Form.Words) return encodeWords(this.#words ?? this.#toWords());
    const members = this.positions();
    const numbers = form === Form.Array ? members : runsOf(members, runs);
    const bytes = new Uint8Array(1 + numbers.length * 2);
    bytes[0] = form;
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < numbers.length; i++) view.setUint16(1 + i * 2, numbers[i]!, true);
    return bytes;
  }

  /** An empty array is the empty set. Throws RangeError on invalid bytes. */
  static decode(bytes: Uint8Array): Bitmap {
    if (bytes.length === 0) return Bitmap.empty;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const count = (bytes.length - 1) >>> 1;
    switch (bytes[0]) {
      case Form.Array: {
        const array = new Uint16Array(count);
        for (let i = 0; i < count; i++) array[i] = view.getUint16(1 + i * 2, true);
        return Bitmap.#ofSorted(array);
      }
      case Form.Runs: {
        const words = new Uint32Array(WORDS);
        for (let i = 0; i + 1 < count; i += 2) {
          const last = view.getUint16(3 + i * 2, true);
          for (let p = view.getUint16(1 + i * 2, true); p <= last; p++) words[p >>> 5]! |= 1 << (p & 31);
        }
        return Bitmap.#ofWords(words);
      }
      case Form.Words: {
        if (bytes.length !== 1 + WORDS_BYTES) throw new RangeError('bitmap: words of a wrong length');
        const words = new Uint32Array(WORDS);
        for (let i = 0; i < WORDS; i++) words[i] = view.getUint32(1 + i * 4, true);
        return Bitmap.#ofWords(words);
      }
      default:
        throw new RangeError('bitmap: unknown form');
    }
  }
}

function sizeOf(words: Uint32Array): number {
  let size = 0;
  for (let i = 0; i < WORDS; i++) size += bits(words[i]!);
  return size;
}

function wordsOf(positions: Uint16Array): Uint32Array {
  const words = new Uint32Array(WORDS);
  for (const position of positions) words[position >>> 5]! |= 1 << (position & 31);
  return words;
}

function smallest(arrayBytes: number, runBytes: number): Form {
  if (runBytes < arrayBytes && runBytes < WORDS_BYTES) return Form.Runs;
  return arrayBytes < WORDS_BYTES ? Form.Array : Form.Words;
}

function runsAmong(members: Uint16Array): number {
  let runs = 0;
  for (let i = 0; i < members.length; i++) if (i === 0 || members[i] !== members[i - 1]! + 1) runs++;
  return runs;
}

function runsIn(words: Uint32Array): number {
  let runs = 0;
  let before = 0;
  for (const word of words) {
    runs += bits(word & ~((word << 1) | before));
    before = word >>> 31;
  }
  return runs;
}

function runsOf(members: Uint16Array, runs: number): Uint16Array {
  const pairs = new Uint16Array(runs * 2);
  let n = -1;
  for (let i = 0; i < members.length; i++) {
    if (i === 0 || members[i] !== members[i - 1]! + 1) pairs[++n * 2] = members[i]!;
    pairs[n * 2 + 1] = members[i]!;
  }
  return pairs;
}

function encodeWords(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(1 + WORDS_BYTES);
  bytes[0] = Form.Words;
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < WORDS; i++) view.setUint32(1 + i * 4, words[i]!, true);
  return bytes;
}

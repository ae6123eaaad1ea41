const WORDS = 2048;
const BITMAP_BYTES = WORDS * 4;
/** Above this many members the bitmap is the smaller form in memory too. */
const ARRAY_LIMIT = 4096;

const Form = {
  Array: 0,
  Runs: 1,
  Bitmap: 2,
} as const;
type Form = (typeof Form)[keyof typeof Form];

function bits(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return (((n + (n >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/**
 * An immutable set of positions in a chunk (0 to 65,535). In memory it is a sorted array or a bitmap; encoded it is an array, runs or a
 * bitmap, whichever is smallest, so plans and statistics cost at most 8 KiB a chunk (architecture 5, sending 2).
 */
export class ChunkSet {
  static readonly empty = new ChunkSet(new Uint16Array(0), undefined, 0);

  readonly #array: Uint16Array | undefined;
  readonly #bitmap: Uint32Array | undefined;
  readonly size: number;

  private constructor(array: Uint16Array | undefined, bitmap: Uint32Array | undefined, size: number) {
    this.#array = array;
    this.#bitmap = bitmap;
    this.size = size;
  }

  /** The set of these positions, in any order, repeats allowed. */
  static of(positions: Iterable<number> | Uint16Array): ChunkSet {
    const sorted = (positions instanceof Uint16Array ? positions.slice() : Uint16Array.from(positions)).sort();
    let length = 0;
    for (let i = 0; i < sorted.length; i++) {
      if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[length++] = sorted[i]!;
    }
    return ChunkSet.#ofSorted(sorted.subarray(0, length));
  }

  /** What is in any of the sets. */
  static union(sets: readonly ChunkSet[]): ChunkSet {
    const [first = ChunkSet.empty, ...others] = sets.filter(({ size }) => size > 0);
    if (others.length === 0) return first;
    const bitmap = first.#toBitmap();
    for (const other of others) other.#addTo(bitmap);
    return ChunkSet.#ofBitmap(bitmap);
  }

  /** Whether no position is in two of the sets. */
  static areDisjoint(sets: readonly ChunkSet[]): boolean {
    const bitmap = new Uint32Array(WORDS);
    let members = 0;
    for (const set of sets) {
      set.#addTo(bitmap);
      members += set.size;
    }
    return sizeOf(bitmap) === members;
  }

  static #ofSorted(array: Uint16Array): ChunkSet {
    if (array.length === 0) return ChunkSet.empty;
    if (array.length <= ARRAY_LIMIT) return new ChunkSet(array, undefined, array.length);
    return new ChunkSet(undefined, bitmapOf(array), array.length);
  }

  static #ofBitmap(bitmap: Uint32Array): ChunkSet {
    const size = sizeOf(bitmap);
    if (size === 0) return ChunkSet.empty;
    if (size > ARRAY_LIMIT) return new ChunkSet(undefined, bitmap, size);
    const array = new Uint16Array(size);
    let n = 0;
    for (let i = 0; i < WORDS; i++) {
      for (let word = bitmap[i]!; word !== 0; word &= word - 1) array[n++] = (i << 5) + 31 - Math.clz32(word & -word);
    }
    return new ChunkSet(array, undefined, size);
  }

  has(position: number): boolean {
    if (this.#bitmap) return ((this.#bitmap[position >>> 5]! >>> (position & 31)) & 1) === 1;
    return this.#array![this.rank(position)] === position;
  }

  /** How many members are smaller than `position`. */
  rank(position: number): number {
    if (this.#bitmap) {
      const word = position >>> 5;
      let n = 0;
      for (let i = 0; i < word; i++) n += bits(this.#bitmap[i]!);
      return n + bits(this.#bitmap[word]! & ((1 << (position & 31)) - 1));
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

  /** All members in ascending order. The caller must not change the array. */
  positions(): Uint16Array {
    if (this.#array) return this.#array;
    const array = new Uint16Array(this.size);
    let n = 0;
    for (let i = 0; i < WORDS; i++) {
      for (let word = this.#bitmap![i]!; word !== 0; word &= word - 1)
        array[n++] = (i << 5) + 31 - Math.clz32(word & -word);
    }
    return array;
  }

  /** The members of ranks `from` (inclusive) to `to` (exclusive). */
  slice(from: number, to: number): ChunkSet {
    return ChunkSet.#ofSorted(this.positions().slice(from, to));
  }

  union(other: ChunkSet): ChunkSet {
    return ChunkSet.union([this, other]);
  }

  intersect(other: ChunkSet): ChunkSet {
    if (this.#array) return ChunkSet.#ofSorted(this.#array.filter((position) => other.has(position)));
    if (other.#array) return other.intersect(this);
    const bitmap = this.#toBitmap();
    for (let i = 0; i < WORDS; i++) bitmap[i]! &= other.#bitmap![i]!;
    return ChunkSet.#ofBitmap(bitmap);
  }

  minus(other: ChunkSet): ChunkSet {
    if (other.size === 0 || this.size === 0) return this;
    if (this.#array) return ChunkSet.#ofSorted(this.#array.filter((position) => !other.has(position)));
    const bitmap = this.#toBitmap();
    if (other.#bitmap) for (let i = 0; i < WORDS; i++) bitmap[i]! &= ~other.#bitmap[i]!;
    else for (const position of other.#array!) bitmap[position >>> 5]! &= ~(1 << (position & 31));
    return ChunkSet.#ofBitmap(bitmap);
  }

  equals(other: ChunkSet): boolean {
    return this.size === other.size && this.intersect(other).size === this.size;
  }

  #toBitmap(): Uint32Array {
    return this.#bitmap?.slice() ?? bitmapOf(this.#array!);
  }

  #addTo(bitmap: Uint32Array): void {
    if (this.#bitmap) for (let i = 0; i < WORDS; i++) bitmap[i]! |= this.#bitmap[i]!;
    else for (const position of this.#array!) bitmap[position >>> 5]! |= 1 << (position & 31);
  }

  /** Bytes for storage: a form byte, then little-endian 16-bit members, 16-bit (first, last) runs, or the bitmap. */
  encode(): Uint8Array {
    const runs = this.#bitmap ? runsIn(this.#bitmap) : runsAmong(this.#array!);
    const form = smallest(this.size * 2, runs * 4);
    if (form === Form.Bitmap) return encodeBitmap(this.#bitmap ?? this.#toBitmap());
    const members = this.positions();
    const numbers = form === Form.Array ? members : runsOf(members, runs);
    const bytes = new Uint8Array(1 + numbers.length * 2);
    bytes[0] = form;
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < numbers.length; i++) view.setUint16(1 + i * 2, numbers[i]!, true);
    return bytes;
  }

  /** The set of {@link encode}d bytes; no bytes at all mean the empty set. Throws RangeError on anything else. */
  static decode(bytes: Uint8Array): ChunkSet {
    if (bytes.length === 0) return ChunkSet.empty;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const count = (bytes.length - 1) >>> 1;
    switch (bytes[0]) {
      case Form.Array: {
        const array = new Uint16Array(count);
        for (let i = 0; i < count; i++) array[i] = view.getUint16(1 + i * 2, true);
        return ChunkSet.#ofSorted(array);
      }
      case Form.Runs: {
        const bitmap = new Uint32Array(WORDS);
        for (let i = 0; i + 1 < count; i += 2) {
          const last = view.getUint16(3 + i * 2, true);
          for (let p = view.getUint16(1 + i * 2, true); p <= last; p++) bitmap[p >>> 5]! |= 1 << (p & 31);
        }
        return ChunkSet.#ofBitmap(bitmap);
      }
      case Form.Bitmap: {
        if (bytes.length !== 1 + BITMAP_BYTES) throw new RangeError('chunk set: bitmap of a wrong length');
        const bitmap = new Uint32Array(WORDS);
        for (let i = 0; i < WORDS; i++) bitmap[i] = view.getUint32(1 + i * 4, true);
        return ChunkSet.#ofBitmap(bitmap);
      }
      default:
        throw new RangeError('chunk set: unknown form');
    }
  }
}

function sizeOf(bitmap: Uint32Array): number {
  let size = 0;
  for (let i = 0; i < WORDS; i++) size += bits(bitmap[i]!);
  return size;
}

function bitmapOf(positions: Uint16Array): Uint32Array {
  const bitmap = new Uint32Array(WORDS);
  for (const position of positions) bitmap[position >>> 5]! |= 1 << (position & 31);
  return bitmap;
}

function smallest(arrayBytes: number, runBytes: number): Form {
  if (runBytes < arrayBytes && runBytes < BITMAP_BYTES) return Form.Runs;
  return arrayBytes < BITMAP_BYTES ? Form.Array : Form.Bitmap;
}

function runsAmong(members: Uint16Array): number {
  let runs = 0;
  for (let i = 0; i < members.length; i++) if (i === 0 || members[i] !== members[i - 1]! + 1) runs++;
  return runs;
}

/** A run begins at every member whose predecessor is none. */
function runsIn(bitmap: Uint32Array): number {
  let runs = 0;
  let before = 0;
  for (const word of bitmap) {
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

function encodeBitmap(bitmap: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(1 + BITMAP_BYTES);
  bytes[0] = Form.Bitmap;
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < WORDS; i++) view.setUint32(1 + i * 4, bitmap[i]!, true);
  return bytes;
}

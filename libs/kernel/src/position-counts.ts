import { Bitmap } from './bitmap.ts';
import { CHUNK_SIZE } from './seq.ts';

const WORDS = CHUNK_SIZE / 32;

/** Counts up to n take log2(n) times 8 KiB. */
export class PositionCounts {
  readonly #digits: Uint32Array[] = [];

  static of(digits: readonly Bitmap[]): PositionCounts {
    const counts = new PositionCounts();
    digits.forEach((set, digit) => counts.add(set, digit));
    return counts;
  }

  add(set: Bitmap, digit = 0): void {
    set.eachWord((word, bits) => {
      let carry = bits;
      for (let d = digit; carry !== 0; d++) {
        const digits = this.#digit(d);
        const before = digits[word]!;
        digits[word] = before ^ carry;
        carry &= before;
      }
    });
  }

  subtract(set: Bitmap): void {
    set.eachWord((word, bits) => {
      let borrow = bits & this.#digits.reduce((any, digits) => any | digits[word]!, 0);
      for (let d = 0; borrow !== 0; d++) {
        const digits = this.#digit(d);
        const before = digits[word]!;
        digits[word] = before ^ borrow;
        borrow &= ~before;
      }
    });
  }

  atLeast(least: number): Bitmap {
    if (least >= 2 ** this.#digits.length) return Bitmap.empty;
    const found = new Uint32Array(WORDS);
    for (let word = 0; word < WORDS; word++) {
      let above = 0;
      let equal = -1;
      for (let d = this.#digits.length - 1; d >= 0; d--) {
        const bits = this.#digits[d]![word]!;
        if (((least >>> d) & 1) === 1) equal &= bits;
        else {
          above |= equal & bits;
          equal &= ~bits;
        }
      }
      found[word] = above | equal;
    }
    return Bitmap.ofWords(found);
  }

  digits(): Bitmap[] {
    const sets = this.#digits.map((words) => Bitmap.ofWords(words.slice()));
    while (sets.length > 0 && sets.at(-1)!.size === 0) sets.pop();
    return sets;
  }

  #digit(digit: number): Uint32Array {
    while (this.#digits.length <= digit) this.#digits.push(new Uint32Array(WORDS));
    return this.#digits[digit]!;
  }
}

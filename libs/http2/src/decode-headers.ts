import { huffmanDecoded } from './huffman.ts';
import { staticTable } from './static-table.ts';

const STATUS_200 = 0x88;

/** The peer has no dynamic table (SETTINGS_HEADER_TABLE_SIZE 0). */
class BlockReader {
  readonly #block: Uint8Array;
  #at = 0;

  constructor(block: Uint8Array) {
    this.#block = block;
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    while (this.#at < this.#block.length) {
      const byte = this.#block[this.#at]!;
      if ((byte & 0xe0) === 0x20) {
        this.#integer(5);
        continue;
      }
      const [name, value] = byte & 0x80 ? entryOf(this.#integer(7)) : this.#literal(byte & 0x40 ? 6 : 4);
      headers[name] = value;
    }
    return headers;
  }

  #literal(prefixBits: number): readonly [string, string] {
    const index = this.#integer(prefixBits);
    const name = index === 0 ? this.#string() : entryOf(index)[0];
    return [name, this.#string()];
  }

  #integer(prefixBits: number): number {
    const max = (1 << prefixBits) - 1;
    let value = this.#next() & max;
    if (value < max) return value;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#next();
      value += (byte & 0x7f) * factor;
      if (value > 0xffffff) throw new RangeError('hpack: integer too large');
      if (byte < 0x80) return value;
    }
  }

  #string(): string {
    const isHuffman = (this.#block[this.#at] ?? 0) >= 0x80;
    const length = this.#integer(7);
    const end = this.#at + length;
    if (end > this.#block.length) throw new RangeError('hpack: string beyond the block');
    const bytes = this.#block.subarray(this.#at, end);
    this.#at = end;
    return isHuffman ? huffmanDecoded(bytes) : Buffer.from(bytes).toString('latin1');
  }

  #next(): number {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw new RangeError('hpack: block ends early');
    return byte;
  }
}

function entryOf(index: number): readonly [string, string] {
  const entry = staticTable[index - 1];
  if (!entry) throw new RangeError('hpack: no such entry');
  return entry;
}

export const decodeHeaders = (block: Uint8Array): Record<string, string> => new BlockReader(block).headers();

export function isOk(block: Buffer): boolean {
  let at = 0;
  while (at < block.length && (block[at]! & 0xe0) === 0x20 && block[at] !== 0x3f) at++;
  return block[at] === STATUS_200;
}

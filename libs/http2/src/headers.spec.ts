import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeHeaders } from './decode-headers.ts';
import { huffmanDecoded } from './huffman.ts';
import { RequestEncoder } from './request-encoder.ts';
import { staticTable } from './static-table.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('Huffman codes', () => {
  // RFC 7541, appendix C.
  it.each([
    ['f1e3 c2e5 f23a 6ba0 ab90 f4ff', 'www.example.com'],
    ['a8eb 1064 9cbf', 'no-cache'],
    ['25a8 49e9 5ba9 7d7f', 'custom-key'],
    ['25a8 49e9 5bb8 e8b4 bf', 'custom-value'],
    ['6402', '302'],
    ['aec3 771a 4b', 'private'],
    ['d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff', 'Mon, 21 Oct 2013 20:13:21 GMT'],
    ['9d29 ad17 1863 c78f 0b97 c8e9 ae82 ae43 d3', 'https://www.example.com'],
    [
      '94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
      'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
    ],
  ])('are decoded: %s', (bytes, text) => {
    expect(huffmanDecoded(hex(bytes))).toBe(text);
  });
});

describe('header blocks of providers', () => {
  it('are read in every form, also after a change of the table', () => {
    const block = hex(
      '20 3fe11f 88 5f0b' + Buffer.from('text/custom').toString('hex') + '0f26 0431323334 00 0178 8264 02',
    );
    expect(decodeHeaders(block)).toEqual({
      ':status': '200',
      'content-type': 'text/custom',
      'retry-after': '1234',
      x: '302',
    });
  });

  it('are refused if they refer to an entry that the table does not have', () => {
    expect(() => decodeHeaders(hex('be'))).toThrow(RangeError);
  });

  it('are refused if they are truncated or have wrong lengths, and throw nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        try {
          decodeHeaders(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

/** Has nothing in common with the encoder. */
class Peer {
  readonly #table: [string, string][] = [];
  #capacity = 4096;

  read(block: Buffer): [string, string][] {
    const headers: [string, string][] = [];
    let at = 0;
    const integer = (bits: number): number => {
      const max = 2 ** bits - 1;
      let value = block[at++]! & max;
      if (value < max) return value;
      for (let shift = 0; ; shift += 7) {
        const byte = block[at++]!;
        value += (byte & 127) * 2 ** shift;
        if (byte < 128) return value;
      }
    };
    const string = (): string => {
      const length = integer(7);
      at += length;
      return block.toString('latin1', at - length, at);
    };
    const entry = (index: number): [string, string] => {
      const found = index <= 61 ? staticTable[index - 1] : this.#table[index - 62];
      if (!found) throw new Error(`no entry ${index}`);
      return [...found];
    };
    while (at < block.length) {
      const byte = block[at]!;
      if (byte >= 128) headers.push(entry(integer(7)));
      else if (byte >= 64) {
        const index = integer(6);
        const header: [string, string] = [index === 0 ? string() : entry(index)[0], string()];
        headers.push(header);
        this.#table.unshift(header);
        this.#evict();
      } else if (byte >= 32) {
        this.#capacity = integer(5);
        this.#evict();
      } else {
        const index = integer(4);
        headers.push([index === 0 ? string() : entry(index)[0], string()]);
      }
    }
    return headers;
  }

  #evict(): void {
    const size = (): number => this.#table.reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0);
    while (size() > this.#capacity) this.#table.pop();
  }
}

describe('header blocks of requests', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'B', '7', '-', ' '), maxLength: 400 });
  const name = fc.constantFrom('authorization', 'apns-topic', 'content-type', 'x', 'apns-priority');
  const shared = fc.array(fc.tuple(name, text), { maxLength: 6 }).map((headers) => headers.flat());
  const step = fc.record({
    path: text,
    list: fc.nat(3),
    own: fc.array(fc.tuple(name, text), { maxLength: 2 }),
    limit: fc.option(fc.nat(5000)),
  });

  it('contain the given headers, after any others and for any table size of the peer', () => {
    fc.assert(
      fc.property(
        fc.array(shared, { minLength: 4, maxLength: 4 }),
        fc.array(step, { maxLength: 30 }),
        (lists, steps) => {
          const encoder = new RequestEncoder(true, 'host:443');
          const peer = new Peer();
          for (const { path, list, own, limit } of steps) {
            if (limit !== null) encoder.limit(limit);
            const bound = encoder.prepare(path, lists[list]!, own.flat());
            const target = Buffer.alloc(bound + 8);
            const end = encoder.write(target, 4);
            expect(end - 4).toBeLessThanOrEqual(bound);
            const pairs = (flat: readonly string[]) =>
              flat.flatMap((each, i) => (i % 2 === 0 ? [[each, flat[i + 1]]] : []));
            expect(peer.read(target.subarray(4, end))).toEqual([
              [':method', 'POST'],
              [':scheme', 'https'],
              [':authority', 'host:443'],
              [':path', path],
              ...pairs(lists[list]!),
              ...own,
            ]);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('take a byte for each header that was sent before', () => {
    const encoder = new RequestEncoder(false, 'h');
    const headers = ['authorization', `bearer ${'x'.repeat(200)}`, 'apns-topic', 'com.example.app'];
    const sizes = [1, 2, 3].map(() => {
      const target = Buffer.alloc(encoder.prepare('/p', headers, []));
      return encoder.write(target, 0);
    });
    expect(sizes[0]).toBeGreaterThan(200);
    expect(sizes.slice(1)).toEqual([9, 9]);
  });

  it('are refused with invalid headers', () => {
    expect(() => new RequestEncoder(false, 'h').prepare('/p', ['apns-topic', 'a\r\nb'], [])).toThrow(TypeError);
  });
});

/** RFC 7541, appendix B. */
const huffmanLengths: readonly number[] = [
  ...[13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28],
  ...[28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15],
  ...[6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6],
  ...[15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22],
  ...[20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23],
  ...[23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22],
  ...[22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26],
  ...[27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27],
  ...[26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30],
];

interface Branch {
  zero?: Branch | number;
  one?: Branch | number;
}

function huffmanTree(): Branch {
  const root: Branch = {};
  const symbols = huffmanLengths.map((length, symbol) => ({ length, symbol }));
  let code = 0;
  let last = 0;
  for (const { length, symbol } of symbols.toSorted((a, b) => a.length - b.length || a.symbol - b.symbol)) {
    code <<= length - last;
    last = length;
    let node = root;
    for (let bit = length - 1; bit > 0; bit--) {
      const side = (code >>> bit) & 1 ? 'one' : 'zero';
      node = (node[side] ??= {}) as Branch;
    }
    node[code & 1 ? 'one' : 'zero'] = symbol;
    code++;
  }
  return root;
}

const tree = huffmanTree();

export function huffmanDecoded(bytes: Uint8Array): string {
  const decoded: number[] = [];
  let node = tree;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const next = (byte >>> bit) & 1 ? node.one : node.zero;
      if (next === undefined) throw new RangeError('hpack: no such code');
      if (typeof next === 'number') {
        decoded.push(next);
        node = tree;
      } else node = next;
    }
  }
  return Buffer.from(decoded).toString('latin1');
}

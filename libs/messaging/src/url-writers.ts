const HEX = new TextEncoder().encode('0123456789ABCDEF');
const unreserved = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 128 && encodeURIComponent(String.fromCharCode(byte)).length === 1 ? 1 : 0,
);
const urlCharacters = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 128 && encodeURI(String.fromCharCode(byte)).length === 1 ? 1 : 0,
);
const PERCENT = 0x25;
const hexDigits = Uint8Array.from({ length: 256 }, (_, byte) =>
  /^[0-9a-f]$/i.test(String.fromCharCode(byte)) ? 1 : 0,
);

export function writeUrl(target: Uint8Array, at: number, source: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    const byte = source[i]!;
    if (unreserved[byte] === 1) target[at++] = byte;
    else at = writePercentEncoded(target, at, byte);
  }
  return at;
}

function writePercentEncoded(target: Uint8Array, at: number, byte: number): number {
  target[at++] = PERCENT;
  target[at++] = HEX[byte >>> 4]!;
  target[at++] = HEX[byte & 15]!;
  return at;
}

export function writeFileUrl(target: Uint8Array, at: number, source: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    const byte = source[i]!;
    const isEscape =
      byte === PERCENT && i + 2 < to && hexDigits[source[i + 1]!] === 1 && hexDigits[source[i + 2]!] === 1;
    if (isEscape || urlCharacters[byte] === 1) target[at++] = byte;
    else at = writePercentEncoded(target, at, byte);
  }
  return at;
}

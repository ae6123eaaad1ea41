const DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';
const VALUES = new Map([...DIGITS].map((digit, value) => [digit, value]));
const BITS = 5;

export function writeBase32(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= BITS) {
      bits -= BITS;
      text += DIGITS.charAt((pending >>> bits) & 31);
    }
  }
  return bits === 0 ? text : text + DIGITS.charAt((pending << (BITS - bits)) & 31);
}

export function readBase32(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  let at = 0;
  let pending = 0;
  let bits = 0;
  for (const digit of text) {
    const value = VALUES.get(digit);
    if (value === undefined) return undefined;
    pending = ((pending << BITS) | value) & 0xfff;
    bits += BITS;
    if (bits < 8) continue;
    bits -= 8;
    if (at === length) return undefined;
    bytes[at++] = (pending >>> bits) & 0xff;
  }
  const rest = pending & ((1 << bits) - 1);
  return at === length && bits < BITS && rest === 0 ? bytes : undefined;
}

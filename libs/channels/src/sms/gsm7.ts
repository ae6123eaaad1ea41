const ALPHABET =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const ESCAPE = 0x1b;

const extensions: readonly (readonly [string, number])[] = [
  ['\f', 0x0a],
  ['^', 0x14],
  ['{', 0x28],
  ['}', 0x29],
  ['\\', 0x2f],
  ['[', 0x3c],
  ['~', 0x3d],
  [']', 0x3e],
  ['|', 0x40],
  ['€', 0x65],
];

const EXTENDED = 0x100;

const septets = new Int16Array(0x2100).fill(-1);
for (let septet = 0; septet < ALPHABET.length; septet++) {
  if (septet !== ESCAPE) septets[ALPHABET.charCodeAt(septet)] = septet;
}
for (const [character, septet] of extensions) septets[character.charCodeAt(0)] = EXTENDED | septet;

const septetOf = (unit: number): number => (unit < septets.length ? septets[unit]! : -1);

export function gsm7(text: string): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(2 * text.length);
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const septet = septetOf(text.charCodeAt(i));
    if (septet < 0) return undefined;
    if (septet >= EXTENDED) bytes[at++] = ESCAPE;
    bytes[at++] = septet & 0x7f;
  }
  return bytes.subarray(0, at);
}

export const isSeptetBoundary = (bytes: Uint8Array, at: number): boolean => bytes[at - 1] !== ESCAPE;

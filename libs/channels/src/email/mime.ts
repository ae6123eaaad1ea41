const CRLF = '\r\n';
const LINE = 76;
const WORD_BYTES = 45;
const CHARSET = "UTF-8''";
const PART = 56;

/** No value may add a header (RFC 5322). */
export const oneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();

const PRINTABLE = /^[\x20-\x7e]*$/;
const LIKE_WORD = /=\?/;

const isPlain = (text: string): boolean => PRINTABLE.test(text) && !LIKE_WORD.test(text) && text.length <= 60;

/** No word may split a character (RFC 2047). */
function encodedWords(text: string): string {
  const words: string[] = [];
  let word = '';
  let bytes = 0;
  for (const character of text) {
    const length = Buffer.byteLength(character);
    if (bytes + length > WORD_BYTES) {
      words.push(word);
      word = '';
      bytes = 0;
    }
    word += character;
    bytes += length;
  }
  words.push(word);
  return words.map((each) => `=?UTF-8?B?${Buffer.from(each).toString('base64')}?=`).join(`${CRLF} `);
}

export function textHeader(name: string, value: string): string {
  const text = oneLine(value.toWellFormed());
  return `${name}: ${isPlain(text) ? text : encodedWords(text)}`;
}

export function mailbox({ address, name }: { readonly address: string; readonly name: string }): string {
  const shown = oneLine(name.toWellFormed());
  if (shown === '') return address;
  const phrase = isPlain(shown) ? `"${shown.replace(/["\\]/g, '\\$&')}"` : encodedWords(shown);
  return `${phrase}${CRLF} <${address}>`;
}

const HEX = '0123456789ABCDEF';

const quoted = Array.from({ length: 256 }, (_, byte) => {
  const isLiteral = (byte >= 0x20 && byte <= 0x7e && byte !== 0x3d) || byte === 0x09;
  return isLiteral ? String.fromCharCode(byte) : `=${HEX.charAt(byte >>> 4)}${HEX.charAt(byte & 15)}`;
});

function quotedLine(line: string): string {
  let encoded = '';
  let length = 0;
  const bytes = Buffer.from(line);
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    // Servers lose white space at line ends, and may take a lone dot for the end.
    const ends = i === bytes.length - 1 && (byte === 0x20 || byte === 0x09);
    const hidden = ends || (byte === 0x2e && length === 0);
    const part = hidden ? `=${HEX.charAt(byte >>> 4)}${HEX.charAt(byte & 15)}` : quoted[byte]!;
    if (length + part.length >= LINE) {
      encoded += `=${CRLF}`;
      length = 0;
    }
    encoded += part;
    length += part.length;
  }
  return encoded;
}

export const quotedPrintable = (text: string): string =>
  text
    .toWellFormed()
    .split(/\r\n|\r|\n/)
    .map(quotedLine)
    .join(CRLF);

export function base64Lines(bytes: Uint8Array): string {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  const lines: string[] = [];
  for (let at = 0; at < whole.length; at += LINE) lines.push(whole.slice(at, at + LINE));
  return lines.join(CRLF);
}

export const inLines = (text: string, length: number): string =>
  (text.match(new RegExp(`.{1,${length}}`, 'g')) ?? []).join(`${CRLF} `);

const extended = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);

function extendedParts(text: string): string[] {
  const parts: string[] = [];
  let part = CHARSET;
  for (const character of text) {
    const encoded = extended(character);
    if (part.length + encoded.length > PART) {
      parts.push(part);
      part = '';
    }
    part += encoded;
  }
  return [...parts, part];
}

export function fileName(name: string): string {
  const shown = oneLine(name.toWellFormed());
  if (PRINTABLE.test(shown) && shown.length <= 60) return `filename="${shown.replace(/["\\]/g, '\\$&')}"`;
  const [first = '', ...others] = extendedParts(shown);
  if (others.length === 0) return `filename*=${first}`;
  return [first, ...others].map((part, i) => `filename*${i}*=${part}`).join(`;${CRLF} `);
}

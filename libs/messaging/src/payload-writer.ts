import type { CompiledHole, CompiledPayload, DeviceColumns } from './compiled-payload.ts';
import { ELLIPSIS, inXml } from './compiled-payload.ts';
import { htmlEntities } from './html-escapes.ts';
import { LINK_TOKEN_LENGTH } from './link-token.ts';
import { macOf, writeDevicePart } from './statistics-hash.ts';
import { type Format, formatted } from './template.ts';
import { writeFileUrl, writeUrl } from './url-writers.ts';

const utf8 = new TextEncoder();

/** Upper case triples some characters, and percent-encoding triples each byte. */
const GROWTH = 9;

const BOUND_LIMIT = 4 << 20;
export const OVERSIZED_BYTES = 1 << 20;
const oversized = Buffer.alloc(OVERSIZED_BYTES, ' ');

const PLAIN = 0;
const LOWER_HEX = utf8.encode('0123456789abcdef');
const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const shortEscapes = new Map([
  [QUOTE, QUOTE],
  [BACKSLASH, BACKSLASH],
  [8, 0x62],
  [9, 0x74],
  [10, 0x6e],
  [12, 0x66],
  [13, 0x72],
]);
const escapes = Uint8Array.from({ length: 256 }, (_, byte) => shortEscapes.get(byte) ?? (byte < 0x20 ? 1 : PLAIN));

function writeText(target: Uint8Array, at: number, source: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    const byte = source[i]!;
    const escape = escapes[byte]!;
    if (escape === PLAIN) {
      target[at++] = byte;
      continue;
    }
    target[at++] = BACKSLASH;
    if (escape !== 1) target[at++] = escape;
    else {
      target[at++] = 0x75;
      target[at++] = 0x30;
      target[at++] = 0x30;
      target[at++] = LOWER_HEX[byte >>> 4]!;
      target[at++] = LOWER_HEX[byte & 15]!;
    }
  }
  return at;
}

function writeNested(target: Uint8Array, at: number, source: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    const byte = source[i]!;
    const escape = escapes[byte]!;
    if (escape === PLAIN) {
      target[at++] = byte;
      continue;
    }
    target[at++] = BACKSLASH;
    target[at++] = BACKSLASH;
    if (escape === BACKSLASH || escape === QUOTE) {
      target[at++] = BACKSLASH;
      target[at++] = escape;
    } else if (escape !== 1) target[at++] = escape;
    else {
      target[at++] = 0x75;
      target[at++] = 0x30;
      target[at++] = 0x30;
      target[at++] = LOWER_HEX[byte >>> 4]!;
      target[at++] = LOWER_HEX[byte & 15]!;
    }
  }
  return at;
}

const xmlEntities = Array.from({ length: 0x40 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return inXml(character) === character ? undefined : utf8.encode(inXml(character));
});

function writeXml(target: Uint8Array, at: number, source: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    const byte = source[i]!;
    const entity = xmlEntities[byte];
    if (entity) {
      target.set(entity, at);
      at += entity.length;
    } else {
      const isForbidden = byte >= 0xbe && i >= from + 2 && source[i - 1] === 0xbf && source[i - 2] === 0xef;
      target[at++] = isForbidden ? 0xbd : byte;
    }
  }
  return at;
}

function writeXmlFileUrl(target: Uint8Array, at: number, source: Uint8Array, from: number, to: number): number {
  const address = new Uint8Array(3 * (to - from));
  return writeXml(target, at, address, 0, writeFileUrl(address, 0, source, from, to));
}

const entities = Array.from({ length: 128 }, (_, byte) => {
  const entity = htmlEntities.get(byte);
  return entity === undefined ? undefined : utf8.encode(entity);
});

function writeHtml(target: Uint8Array, at: number, source: Uint8Array, from: number, to: number): number {
  let done = from;
  for (let i = from; i < to; i++) {
    const entity = entities[source[i]!];
    if (!entity) continue;
    at = writeText(target, at, source, done, i);
    target.set(entity, at);
    at += entity.length;
    done = i + 1;
  }
  return writeText(target, at, source, done, to);
}

const utf8Decoder = new TextDecoder();

function isAscii(source: Uint8Array, from: number, to: number): boolean {
  let all = 0;
  for (let i = from; i < to; i++) all |= source[i]!;
  return all < 128;
}

const isLower = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a;
const isUpper = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a;
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 9 && byte <= 13);

let scratch = new Uint8Array(256);

function formatAscii(source: Uint8Array, from: number, to: number, format: Format): void {
  if (scratch.length < to - from) scratch = new Uint8Array(2 * (to - from));
  let raise = true;
  for (let i = from; i < to; i++) {
    const byte = source[i]!;
    let out = byte;
    if (format === 'lowercase') {
      if (isUpper(byte)) out = byte + 32;
    } else if ((raise || format === 'uppercase') && isLower(byte)) out = byte - 32;
    raise = format === 'capitalizeallfirst' && isSpace(byte);
    scratch[i - from] = out;
  }
}

const writers = {
  text: writeText,
  url: writeUrl,
  fileUrl: writeFileUrl,
  nested: writeNested,
  html: writeHtml,
  xml: writeXml,
  xmlFileUrl: writeXmlFileUrl,
} as const;

type TagHole = Extract<CompiledHole, { kind: 'tag' }>;

// oxlint-disable-next-line max-params -- runs for each value of each push: a parameter object would be one per call
function writeValue(
  target: Uint8Array,
  at: number,
  hole: TagHole,
  source: Uint8Array,
  from: number,
  to: number,
): number {
  const write = writers[hole.encoding];
  if (hole.format === 'regular' || hole.format === 'raw') return write(target, at, source, from, to);
  if (isAscii(source, from, to)) {
    formatAscii(source, from, to, hole.format);
    return write(target, at, scratch, 0, to - from);
  }
  const bytes = utf8.encode(formatted(utf8Decoder.decode(source.subarray(from, to)), hole.format));
  return write(target, at, bytes, 0, bytes.length);
}

function writeInteger(target: Uint8Array, at: number, value: number): number {
  if (value < 0) {
    target[at++] = 0x2d;
    value = -value;
  }
  let end = at + 1;
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) end++;
  for (let i = end - 1, rest = value; i >= at; i--, rest = Math.floor(rest / 10)) target[i] = 0x30 + (rest % 10);
  return end;
}

function afterPrefix(prefix: Uint8Array, tokens: Uint8Array, from: number, to: number): number {
  if (to - from < prefix.length) return from;
  for (let i = 0; i < prefix.length; i++) if (tokens[from + i] !== prefix[i]) return from;
  return from + prefix.length;
}

const seqOfDevice = ({ chunk, positions }: DeviceColumns, device: number): number =>
  chunk * 65_536 + positions[device]!;

const startOf = (ends: Uint32Array, index: number): number => (index === 0 ? 0 : ends[index - 1]!);

function cutBefore(bytes: Uint8Array, from: number, limit: number): number {
  let at = from;
  let safe = from;
  while (at < limit) {
    const byte = bytes[at]!;
    if (byte === BACKSLASH) at += bytes[at + 1] === 0x75 ? 6 : 2;
    else if (byte < 0x80) at += 1;
    else if (byte < 0xe0) at += 2;
    else at += byte < 0xf0 ? 3 : 4;
    if (at <= limit) safe = at;
  }
  return safe;
}

/** A socket may hold a written payload, so none is overwritten. */
export class PayloadWriter {
  readonly #slabBytes: number;
  #slab: Buffer;
  #at = 0;
  #trimFrom = 0;
  #trimTo = 0;

  constructor(slabBytes = 65_536) {
    this.#slabBytes = slabBytes;
    this.#slab = Buffer.allocUnsafeSlow(slabBytes);
  }

  /** Truncates only trimmable text, so the result may exceed `limit`. */
  write(payload: CompiledPayload, columns: DeviceColumns, device: number, limit: number): Buffer {
    const bound = this.#boundOf(payload, columns, device);
    if (bound > BOUND_LIMIT) return oversized;
    if (this.#at + bound > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(Math.max(this.#slabBytes, bound));
      this.#at = 0;
    }
    const from = this.#at;
    let to = this.#render(payload, columns, device, from);
    if (payload.trims && to - from > limit) to = this.#trim(from, to, limit);
    this.#at = to;
    return this.#slab.subarray(from, to);
  }

  #boundOf({ holes, staticBytes }: CompiledPayload, columns: DeviceColumns, device: number): number {
    let bound = staticBytes;
    for (const hole of holes) {
      if (hole.kind === 'tag') {
        const index = device * columns.tags + hole.tag;
        const length = columns.valueEnds[index]! - startOf(columns.valueEnds, index);
        bound += length === 0 ? hole.fallback.length : length * GROWTH;
      } else if (hole.kind === 'token') {
        bound += (columns.tokenEnds[device]! - startOf(columns.tokenEnds, device)) * GROWTH;
      } else if (hole.kind === 'linkToken') bound += LINK_TOKEN_LENGTH;
    }
    return bound;
  }

  #render({ literals, holes }: CompiledPayload, columns: DeviceColumns, device: number, from: number): number {
    const slab = this.#slab;
    let at = from;
    for (let h = 0; h < holes.length; h++) {
      const literal = literals[h]!;
      slab.set(literal, at);
      at += literal.length;
      at = this.#fill(holes[h]!, columns, device, at);
    }
    const last = literals[holes.length]!;
    slab.set(last, at);
    return at + last.length;
  }

  #fill(hole: CompiledHole, columns: DeviceColumns, device: number, at: number): number {
    const slab = this.#slab;
    switch (hole.kind) {
      case 'tag': {
        const index = device * columns.tags + hole.tag;
        const from = startOf(columns.valueEnds, index);
        const to = columns.valueEnds[index]!;
        if (to > from) return writeValue(slab, at, hole, columns.values, from, to);
        slab.set(hole.fallback, at);
        return at + hole.fallback.length;
      }
      case 'device': {
        const { checks } = columns;
        const seq = seqOfDevice(columns, device);
        const check = (checks[device * 3]! << 16) | (checks[device * 3 + 1]! << 8) | checks[device * 3 + 2]!;
        const { platform } = columns;
        return writeDevicePart(slab, at, { seq, platform, mac: macOf(hole.key, seq, platform, check) });
      }
      case 'linkToken':
        return hole.tokens.write(slab, at, hole.purpose, seqOfDevice(columns, device));
      case 'token': {
        const { tokens, tokenEnds } = columns;
        const to = tokenEnds[device]!;
        const start = startOf(tokenEnds, device);
        const from = hole.prefix ? afterPrefix(hole.prefix, tokens, start, to) : start;
        return writeText(slab, at, tokens, from, to);
      }
      case 'badge':
        return writeInteger(slab, at, columns.badges[device] ?? 0);
      case 'trimFrom':
        this.#trimFrom = at;
        return at;
      case 'trimTo':
        this.#trimTo = at;
        return at;
    }
  }

  #trim(from: number, to: number, limit: number): number {
    const tail = to - this.#trimTo;
    const room = from + limit - tail - ELLIPSIS.length;
    const cut = cutBefore(this.#slab, this.#trimFrom, Math.max(this.#trimFrom, Math.min(this.#trimTo, room)));
    this.#slab.set(ELLIPSIS, cut);
    this.#slab.copyWithin(cut + ELLIPSIS.length, this.#trimTo, to);
    return cut + ELLIPSIS.length + tail;
  }
}

import type { SendBatch } from '@tidings/events';
import { DEVICE_PART_LENGTH, hashPrefix, type HashedMessage, type MessageKey } from './statistics-hash.ts';
import {
  FILLED_LIMIT,
  type Format,
  formatted,
  parseTemplate,
  type Placeholder,
  requestValue,
  type Template,
  type Variables,
} from './template.ts';

/** What a payload takes from the device that it is written for. */
export type Hole =
  | {
      readonly kind: 'tag';
      /** Index of the tag in the columns. */
      readonly tag: number;
      readonly format: Format;
      readonly encoding: Encoding;
      /** Stands in for a missing value, not yet encoded. */
      readonly fallback: string;
    }
  | { readonly kind: 'device'; readonly key: MessageKey }
  | { readonly kind: 'badge' | 'token' }
  | { readonly kind: 'trimFrom' | 'trimTo' };

/** How a value is written into a JSON string: as text, or percent-encoded as a part of a URL. */
export type Encoding = 'text' | 'url';

/** JSON in pieces: text that is already JSON, and what differs from device to device. */
export type Fragment = readonly (string | Hole)[];

/** What payloads are made of: a message, as its batches carry it. */
export type OutgoingMessage = Pick<SendBatch, 'message' | 'bucket' | 'messageId' | 'campaignId' | 'content'>;

/** What the texts of a payload are resolved with. */
export interface TemplateContext {
  readonly variables: Variables;
  /** Names of the tags in the order of the columns. */
  readonly tags: readonly string[];
}

/** Devices by columns, as a batch carries them (sending 3). Device i has the i-th entry of each. */
export interface DeviceColumns {
  readonly chunk: number;
  readonly positions: Uint16Array;
  /** Code of the platform of every device. */
  readonly platform: number;
  /** Three bytes a device, most significant first. */
  readonly checks: Uint8Array;
  /** UTF-8 tokens, and where each ends. */
  readonly tokens: Uint8Array;
  readonly tokenEnds: Uint32Array;
  /** UTF-8 values; the value of tag t of device i ends at `valueEnds[i * tags + t]`. */
  readonly values: Uint8Array;
  readonly valueEnds: Uint32Array;
  readonly tags: number;
  /** Empty where badges are not relative. */
  readonly badges: Int32Array;
}

/** A value as JSON, the same for every device. */
export const json = (value: unknown): Fragment => [JSON.stringify(value)];

/** A JSON text byte for byte. */
export const rawJson = (text: string): Fragment => [text];

/** An object of the entries that are given. */
export function object(entries: Readonly<Record<string, Fragment | undefined>>): Fragment {
  const pieces: (string | Hole)[] = ['{'];
  for (const [key, value] of Object.entries(entries)) {
    if (value) pieces.push(`${pieces.length > 1 ? ',' : ''}${JSON.stringify(key)}:`, ...value);
  }
  pieces.push('}');
  return pieces;
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
const encoded = (text: string, encoding: Encoding): string =>
  encoding === 'url' ? encodeURIComponent(text.toWellFormed()) : text;

function resolvedPart(part: Placeholder, encoding: Encoding, { variables, tags }: TemplateContext): string | Hole {
  const value = requestValue(part.name, variables);
  if (value !== undefined) return escaped(encoded(formatted(value, part.format), encoding));
  const tag = tags.indexOf(part.name);
  if (tag < 0) return escaped(encoded(part.fallback, encoding));
  return { kind: 'tag', tag, format: part.format, encoding, fallback: part.fallback };
}

/** The pieces of a text, up to the one that goes beyond {@link FILLED_LIMIT}: what is left out would not have been sent. */
function resolved(template: Template, encoding: Encoding, context: TemplateContext): Fragment {
  const pieces: (string | Hole)[] = [];
  let length = 0;
  for (const part of template) {
    if (length > FILLED_LIMIT) break;
    const piece = typeof part === 'string' ? escaped(part) : resolvedPart(part, encoding, context);
    if (typeof piece === 'string') length += piece.length;
    pieces.push(piece);
  }
  return pieces;
}

const quoted = (pieces: Fragment): Fragment => ['"', ...pieces, '"'];

/** A text with its placeholders as a JSON string (R-I16, R-I17). */
export const text = (template: string, context: TemplateContext): Fragment =>
  quoted(resolved(parseTemplate(template), 'text', context));

/** The same for a URL: values are percent-encoded. */
export const url = (template: string, context: TemplateContext): Fragment =>
  quoted(resolved(parseTemplate(template), 'url', context));

/** The one text of a payload that `PayloadWriter` may cut to make the payload fit (R-I23). */
export const trimmable = (string: Fragment): Fragment =>
  quoted([{ kind: 'trimFrom' }, ...string.slice(1, -1), { kind: 'trimTo' }]);

/** The statistics hash of the message with the device's part (R-I30). */
export const statisticsHash = (message: HashedMessage, key: MessageKey): Fragment =>
  quoted([hashPrefix(message), { kind: 'device', key }]);

/** The device's badge as a number, and as a string. */
export const badge: Fragment = [{ kind: 'badge' }];
export const badgeText: Fragment = quoted(badge);

/** The device's token as a string. */
export const token: Fragment = quoted([{ kind: 'token' }]);

/** A fragment as bytes around holes: literal i stands before hole i, the last one behind all. */
export interface CompiledPayload {
  readonly literals: readonly Uint8Array[];
  readonly holes: readonly CompiledHole[];
  readonly trims: boolean;
  /** Bytes that every device has, and room for what has a fixed bound. */
  readonly staticBytes: number;
}

export type CompiledHole =
  | {
      readonly kind: 'tag';
      readonly tag: number;
      readonly format: Format;
      readonly encoding: Encoding;
      readonly fallback: Uint8Array;
    }
  | Exclude<Hole, { kind: 'tag' }>;

const utf8 = new TextEncoder();
const BADGE_MAX = 11;
/** Ends a text that was cut. */
export const ELLIPSIS = utf8.encode('...');

/** Compiles a fragment once for many devices. */
export function compilePayload(fragment: Fragment): CompiledPayload {
  const literals: Uint8Array[] = [];
  const holes: CompiledHole[] = [];
  let literal = '';
  for (const piece of fragment) {
    if (typeof piece === 'string') literal += piece;
    else {
      literals.push(utf8.encode(literal));
      literal = '';
      holes.push(
        piece.kind === 'tag'
          ? { ...piece, fallback: utf8.encode(escaped(encoded(piece.fallback, piece.encoding))) }
          : piece,
      );
    }
  }
  literals.push(utf8.encode(literal));
  const literalBytes = literals.reduce((sum, bytes) => sum + bytes.length, 0);
  return {
    literals,
    holes,
    trims: holes.some((hole) => hole.kind === 'trimFrom'),
    staticBytes: literalBytes + holes.length * (DEVICE_PART_LENGTH + BADGE_MAX) + ELLIPSIS.length,
  };
}

import type { SendBatch } from '@tidings/events';
import { htmlEscaped } from './html-escapes.ts';
import type { LinkPurpose, LinkTokens } from './link-token.ts';
import {
  DEVICE_PART_LENGTH,
  hashPrefix,
  type HashedMessage,
  type MessageKey,
  RECEIPT_SEPARATOR,
} from './statistics-hash.ts';
import {
  FILLED_LIMIT,
  type Format,
  formatted,
  inFileUrl,
  parseTemplate,
  type Placeholder,
  requestValue,
  type Template,
  type Variables,
} from './template.ts';

/** A part of a payload that depends on the device. */
export type Hole =
  | {
      readonly kind: 'tag';
      /** Index of the tag in the columns. */
      readonly tag: number;
      readonly format: Format;
      readonly encoding: Encoding;
      /** Replaces a missing value; not yet encoded. */
      readonly fallback: string;
    }
  | { readonly kind: 'device'; readonly key: MessageKey }
  | { readonly kind: 'linkToken'; readonly tokens: LinkTokens; readonly purpose: LinkPurpose }
  | { readonly kind: 'badge' }
  | {
      readonly kind: 'token';
      /** ASCII; left out where the token begins with it. @default none */
      readonly prefix?: Uint8Array;
    }
  | { readonly kind: 'trimFrom' | 'trimTo' };

/**
 * The encoding of a value: in a JSON string as text, percent-encoded as a part of a URL, as the URL of a file or a part of it, as text in JSON that
 * is itself in a string, or with the characters of HTML markup escaped; or as text in XML, or as the URL of a file in XML.
 */
export type Encoding = 'text' | 'url' | 'fileUrl' | 'nested' | 'html' | 'xml' | 'xmlFileUrl';

/** JSON or XML in parts: literal text, and parts that depend on the device. */
export type Fragment = readonly (string | Hole)[];

/** The parts of a message that payloads need, as its batches carry them. */
export type OutgoingMessage = Pick<
  SendBatch,
  'message' | 'bucket' | 'messageId' | 'campaignId' | 'content' | 'applicationTitle' | 'entry'
>;

/** The values for resolving the texts of a payload. */
export interface TemplateContext {
  readonly variables: Variables;
  /** Names of the tags in the order of the columns. */
  readonly tags: readonly string[];
}

/** Devices in columns, as in a batch (sending 3); entry i belongs to device i. */
export interface DeviceColumns {
  readonly chunk: number;
  readonly positions: Uint16Array;
  /** Platform code of all devices. */
  readonly platform: number;
  /** Three bytes per device, most significant first. */
  readonly checks: Uint8Array;
  /** UTF-8 tokens, and where each ends. */
  readonly tokens: Uint8Array;
  readonly tokenEnds: Uint32Array;
  /** UTF-8 values; the value of tag t of device i ends at `valueEnds[i * tags + t]`. */
  readonly values: Uint8Array;
  readonly valueEnds: Uint32Array;
  readonly tags: number;
  /** Empty unless badges are relative. */
  readonly badges: Int32Array;
}

/** A value as JSON, the same for every device. */
export const json = (value: unknown): Fragment => [JSON.stringify(value)];

/** A JSON text, byte for byte. */
export const rawJson = (text: string): Fragment => [text];

/** An object of the defined entries. */
export function object(entries: Readonly<Record<string, Fragment | undefined>>): Fragment {
  const fragment: (string | Hole)[] = ['{'];
  for (const [key, value] of Object.entries(entries)) {
    if (value) fragment.push(`${fragment.length > 1 ? ',' : ''}${JSON.stringify(key)}:`, ...value);
  }
  fragment.push('}');
  return fragment;
}

/** An array of these elements. */
export const list = (elements: readonly Fragment[]): Fragment => [
  '[',
  ...elements.flatMap((element, i) => (i === 0 ? element : [',', ...element])),
  ']',
];

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text in XML, in an element or in an attribute between double quotes. Characters that XML does not permit are left out. */
export const inXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[&<>"]/g, (character) => entities[character]!)
    .replace(/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g, '');

function encoded(text: string, encoding: Encoding): string {
  switch (encoding) {
    case 'text':
      return escaped(text);
    case 'nested':
      return escaped(escaped(text));
    case 'url':
      return encodeURIComponent(text.toWellFormed());
    case 'fileUrl':
      return inFileUrl(text);
    case 'xmlFileUrl':
      return inXml(inFileUrl(text));
    case 'html':
      return escaped(htmlEscaped(text));
    case 'xml':
      return inXml(text);
  }
}

/** `Raw` values are markup of the caller's own (R-I17). */
const encodingOf = ({ format }: Placeholder, encoding: Encoding): Encoding =>
  encoding === 'html' && format === 'raw' ? 'text' : encoding;

/** How a text is written into a fragment. */
type Writer = (text: string, encoding: Encoding) => string;

function resolvedPart(
  part: Placeholder,
  asked: Encoding,
  { variables, tags }: TemplateContext,
  write: Writer,
): string | Hole {
  const encoding = encodingOf(part, asked);
  const value = requestValue(part.name, variables);
  if (value !== undefined) return write(formatted(value, part.format), encoding);
  const tag = tags.indexOf(part.name);
  if (tag < 0) return write(part.fallback, encoding);
  return { kind: 'tag', tag, format: part.format, encoding, fallback: part.fallback };
}

/** The parts of a text, up to the one that exceeds {@link FILLED_LIMIT}: the others would never be sent. */
function parts(
  template: Template,
  literal: (text: string) => string,
  place: (part: Placeholder) => string | Hole,
): Fragment {
  const fragment: (string | Hole)[] = [];
  let length = 0;
  for (const part of template) {
    if (length > FILLED_LIMIT) break;
    const filled = typeof part === 'string' ? literal(part) : place(part);
    if (typeof filled === 'string') length += filled.length;
    fragment.push(filled);
  }
  return fragment;
}

const resolved = (template: Template, encoding: Encoding, context: TemplateContext): Fragment =>
  parts(template, encoding === 'xml' ? inXml : escaped, (part) => resolvedPart(part, encoding, context, encoded));

const quoted = (fragment: Fragment): Fragment => ['"', ...fragment, '"'];

/** A text with its placeholders as a JSON string (R-I16, R-I17). */
export const text = (template: string, context: TemplateContext): Fragment =>
  quoted(resolved(parseTemplate(template), 'text', context));

/** The same for a URL: values are percent-encoded. */
export const url = (template: string, context: TemplateContext): Fragment =>
  quoted(resolved(parseTemplate(template), 'url', context));

/** The same for the URL of a picture or of another file: only characters that no URL contains are percent-encoded. */
export const fileUrl = (template: string, context: TemplateContext): Fragment =>
  quoted(resolved(parseTemplate(template), 'fileUrl', context));

/** The same as text in XML. */
export const xmlText = (template: string, context: TemplateContext): Fragment =>
  resolved(parseTemplate(template), 'xml', context);

/** JSON in an attribute of XML, between double quotes. It may contain URLs and values that are the same for every device. */
export const xmlAttribute = (fragment: Fragment): Fragment =>
  fragment.map((part) => {
    if (typeof part === 'string') return inXml(part);
    // The URL of a file may contain "&".
    return part.kind === 'tag' && part.encoding === 'fileUrl' ? { ...part, encoding: 'xmlFileUrl' } : part;
  });

const inMarkup: Writer = (text, encoding) => (encoding === 'html' ? htmlEscaped(text) : text);

/** HTML with its placeholders, values escaped except `Raw` ones (R-I17); its literals are not JSON yet: see {@link markupString}. */
export const markup = (template: string, context: TemplateContext): Fragment =>
  parts(
    parseTemplate(template),
    (text) => text,
    (part) => resolvedPart(part, 'html', context, inMarkup),
  );

/** HTML as a JSON string. */
export const markupString = (fragment: Fragment): Fragment =>
  quoted(fragment.map((part) => (typeof part === 'string' ? escaped(part) : part)));

/** JSON as a JSON string. It may contain texts, URLs and values that are the same for every device. */
export const jsonString = (fragment: Fragment): Fragment =>
  quoted(
    fragment.map((part) => {
      if (typeof part === 'string') return escaped(part);
      // Values in URLs, percent-encoded, need no escapes.
      return part.kind === 'tag' && part.encoding === 'text' ? { ...part, encoding: 'nested' } : part;
    }),
  );

/** The only text of a payload that `PayloadWriter` may truncate to make the payload fit (R-I23). */
export const trimmable = (string: Fragment): Fragment =>
  quoted([{ kind: 'trimFrom' }, ...string.slice(1, -1), { kind: 'trimTo' }]);

/** The statistics hash of the message with the device's part (R-I30). */
export const statisticsHash = (message: HashedMessage, key: MessageKey): Fragment =>
  quoted([hashPrefix(message), { kind: 'device', key }]);

/**
 * The statistics hash and the token, for a provider that returns a string of the sender's in its receipts. A receipt with it needs no record of what was
 * sent: it names message and device, and proves both by the hash.
 */
export const receiptKey = (message: HashedMessage, key: MessageKey): Fragment =>
  quoted([hashPrefix(message), { kind: 'device', key }, RECEIPT_SEPARATOR, { kind: 'token' }]);

/** A URL of the service with a token of the recipient, as a string. @param before the URL up to the token, in ASCII without quotes and backslashes */
export const mailUrl = (before: string, tokens: LinkTokens, purpose: LinkPurpose): Fragment =>
  quoted([before, { kind: 'linkToken', tokens, purpose }]);

/** The device's badge as a number, and as a string. */
export const badge: Fragment = [{ kind: 'badge' }];
export const badgeText: Fragment = quoted(badge);

/** The device's token as a string. */
export const token: Fragment = quoted([{ kind: 'token' }]);

/** The device's token as a string, without a prefix that only the service knows. @param prefix ASCII */
export const tokenWithout = (prefix: string): Fragment => quoted([{ kind: 'token', prefix: Buffer.from(prefix) }]);

/** A fragment as bytes around holes: literal i precedes hole i, the last one follows all. */
export interface CompiledPayload {
  readonly literals: readonly Uint8Array[];
  readonly holes: readonly CompiledHole[];
  readonly trims: boolean;
  /** The bytes common to all devices, plus room for parts with a fixed bound. */
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
/** The end of a truncated text. */
export const ELLIPSIS = utf8.encode('...');

/** Compiles a fragment once for many devices. */
export function compilePayload(fragment: Fragment): CompiledPayload {
  const literals: Uint8Array[] = [];
  const holes: CompiledHole[] = [];
  let literal = '';
  for (const part of fragment) {
    if (typeof part === 'string') literal += part;
    else {
      literals.push(utf8.encode(literal));
      literal = '';
      holes.push(
        part.kind === 'tag' ? { ...part, fallback: utf8.encode(encoded(part.fallback, part.encoding)) } : part,
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

/** The same bytes for every device. */
export const bytesPayload = (bytes: Uint8Array): CompiledPayload => ({
  literals: [bytes],
  holes: [],
  trims: false,
  staticBytes: bytes.length + ELLIPSIS.length,
});

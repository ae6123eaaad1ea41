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

export type Hole =
  | {
      readonly kind: 'tag';
      readonly tag: number;
      readonly format: Format;
      readonly encoding: Encoding;
      readonly fallback: string;
    }
  | { readonly kind: 'device'; readonly key: MessageKey }
  | { readonly kind: 'linkToken'; readonly tokens: LinkTokens; readonly purpose: LinkPurpose }
  | { readonly kind: 'badge' }
  | {
      readonly kind: 'token';
      readonly prefix?: Uint8Array;
    }
  | { readonly kind: 'trimFrom' | 'trimTo' };

/** `nested` is text in JSON that is itself in a string. */
export type Encoding = 'text' | 'url' | 'fileUrl' | 'nested' | 'html' | 'xml' | 'xmlFileUrl';

export type Fragment = readonly (string | Hole)[];

export type OutgoingMessage = Pick<
  SendBatch,
  'message' | 'bucket' | 'messageId' | 'campaignId' | 'content' | 'applicationTitle' | 'entry'
>;

export interface TemplateContext {
  readonly variables: Variables;
  readonly tags: readonly string[];
}

export interface DeviceColumns {
  readonly chunk: number;
  readonly positions: Uint16Array;
  readonly platform: number;
  /** Three bytes per device, most significant first. */
  readonly checks: Uint8Array;
  readonly tokens: Uint8Array;
  readonly tokenEnds: Uint32Array;
  /** UTF-8; value t of device i ends at `valueEnds[i * tags + t]`. */
  readonly values: Uint8Array;
  readonly valueEnds: Uint32Array;
  readonly tags: number;
  readonly badges: Int32Array;
}

export const json = (value: unknown): Fragment => [JSON.stringify(value)];

export const rawJson = (text: string): Fragment => [text];

export function object(entries: Readonly<Record<string, Fragment | undefined>>): Fragment {
  const fragment: (string | Hole)[] = ['{'];
  for (const [key, value] of Object.entries(entries)) {
    if (value) fragment.push(`${fragment.length > 1 ? ',' : ''}${JSON.stringify(key)}:`, ...value);
  }
  fragment.push('}');
  return fragment;
}

export const list = (elements: readonly Fragment[]): Fragment => [
  '[',
  ...elements.flatMap((element, i) => (i === 0 ? element : [',', ...element])),
  ']',
];

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

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

const encodingOf = ({ format }: Placeholder, encoding: Encoding): Encoding =>
  encoding === 'html' && format === 'raw' ? 'text' : encoding;

type Writer = (text: string, encoding: Encoding) => string;

function resolvedPart(
  part: Placeholder,
  requested: Encoding,
  { variables, tags }: TemplateContext,
  write: Writer,
): string | Hole {
  const encoding = encodingOf(part, requested);
  const value = requestValue(part.name, variables);
  if (value !== undefined) return write(formatted(value, part.format), encoding);
  const tag = tags.indexOf(part.name);
  if (tag < 0) return write(part.fallback, encoding);
  return { kind: 'tag', tag, format: part.format, encoding, fallback: part.fallback };
}

function parts(
  template: Template,
  literal: (text: string) => string,
  holeFor: (part: Placeholder) => string | Hole,
): Fragment {
  const fragment: (string | Hole)[] = [];
  let length = 0;
  for (const part of template) {
    if (length > FILLED_LIMIT) break;
    const filled = typeof part === 'string' ? literal(part) : holeFor(part);
    if (typeof filled === 'string') length += filled.length;
    fragment.push(filled);
  }
  return fragment;
}

const resolved = (template: Template, encoding: Encoding, context: TemplateContext): Fragment =>
  parts(template, encoding === 'xml' ? inXml : escaped, (part) => resolvedPart(part, encoding, context, encoded));

const quoted = (fragment: Fragment): Fragment => ['"', ...fragment, '"'];

export const text = (template: string, context: TemplateContext): Fragment =>
  quoted(resolved(parseTemplate(template), 'text', context));

export const url = (template: string, context: TemplateContext): Fragment =>
  quoted(resolved(parseTemplate(template), 'url', context));

export const fileUrl = (template: string, context: TemplateContext): Fragment =>
  quoted(resolved(parseTemplate(template), 'fileUrl', context));

export const xmlText = (template: string, context: TemplateContext): Fragment =>
  resolved(parseTemplate(template), 'xml', context);

export const xmlAttribute = (fragment: Fragment): Fragment =>
  fragment.map((part) => {
    if (typeof part === 'string') return inXml(part);
    return part.kind === 'tag' && part.encoding === 'fileUrl' ? { ...part, encoding: 'xmlFileUrl' } : part;
  });

const inMarkup: Writer = (text, encoding) => (encoding === 'html' ? htmlEscaped(text) : text);

export const markup = (template: string, context: TemplateContext): Fragment =>
  parts(
    parseTemplate(template),
    (text) => text,
    (part) => resolvedPart(part, 'html', context, inMarkup),
  );

export const markupString = (fragment: Fragment): Fragment =>
  quoted(fragment.map((part) => (typeof part === 'string' ? escaped(part) : part)));

/** The fragment must be the same for every device. */
export const jsonString = (fragment: Fragment): Fragment =>
  quoted(
    fragment.map((part) => {
      if (typeof part === 'string') return escaped(part);
      return part.kind === 'tag' && part.encoding === 'text' ? { ...part, encoding: 'nested' } : part;
    }),
  );

/** At most one per payload: `PayloadWriter` may truncate it (R-I23). */
export const trimmable = (string: Fragment): Fragment =>
  quoted([{ kind: 'trimFrom' }, ...string.slice(1, -1), { kind: 'trimTo' }]);

export const statisticsHash = (message: HashedMessage, key: MessageKey): Fragment =>
  quoted([hashPrefix(message), { kind: 'device', key }]);

/** The hash proves message and device of a receipt without a stored record. */
export const receiptKey = (message: HashedMessage, key: MessageKey): Fragment =>
  quoted([hashPrefix(message), { kind: 'device', key }, RECEIPT_SEPARATOR, { kind: 'token' }]);

/** The URL `before` the token must be ASCII without quotes and backslashes. */
export const mailUrl = (before: string, tokens: LinkTokens, purpose: LinkPurpose): Fragment =>
  quoted([before, { kind: 'linkToken', tokens, purpose }]);

export const badge: Fragment = [{ kind: 'badge' }];
export const badgeText: Fragment = quoted(badge);

export const token: Fragment = quoted([{ kind: 'token' }]);

export const tokenWithout = (prefix: string): Fragment => quoted([{ kind: 'token', prefix: Buffer.from(prefix) }]);

export interface CompiledPayload {
  readonly literals: readonly Uint8Array[];
  readonly holes: readonly CompiledHole[];
  readonly trims: boolean;
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
export const ELLIPSIS = utf8.encode('...');

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

export const bytesPayload = (bytes: Uint8Array): CompiledPayload => ({
  literals: [bytes],
  holes: [],
  trims: false,
  staticBytes: bytes.length + ELLIPSIS.length,
});

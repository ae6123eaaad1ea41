import type { Content, Localized } from '@tidings/events';
import { jsonInteger } from '@tidings/kernel';

/** The format of a placeholder's value (R-I16). An unknown format is `regular`. */
export type Format = 'regular' | 'raw' | 'capitalizefirst' | 'capitalizeallfirst' | 'uppercase' | 'lowercase';

export interface Placeholder {
  readonly name: string;
  readonly format: Format;
  /** Written unchanged if there is no value. */
  readonly fallback: string;
}

/** A parsed text: literals and placeholders. */
export type Template = readonly (string | Placeholder)[];

/** The values of a request, the same for all devices (R-I16). */
export interface Variables {
  readonly bindings: unknown;
  readonly placeholders: unknown;
}

const formats: ReadonlySet<string> = new Set<Format>([
  'regular',
  'raw',
  'capitalizefirst',
  'capitalizeallfirst',
  'uppercase',
  'lowercase',
]);

/**
 * Everything that can begin at a brace. No branch contains a brace, so a failed one ends at the next brace: parsing is linear. A third bar belongs to
 * the default.
 */
const AT_BRACE = /\\\{|\{\{([^{}|]*)(?:\|([^{}|]*)(?:\|([^{}]*))?)?\}\}|\{([^{}|]*)\|([^{}|]*)\|([^{}]*)\}/g;

const formatOf = (text: string): Format => {
  const format = text.trim().toLowerCase();
  return formats.has(format) ? (format as Format) : 'regular';
};

function placeholderOf([, ...groups]: RegExpExecArray): Placeholder | undefined {
  const [name = '', format = '', fallback = ''] = groups[0] === undefined ? groups.slice(3) : groups;
  if (name.trim() === '') return undefined;
  return { name: name.trim(), format: formatOf(format), fallback: fallback.trim() };
}

/** Splits a text at its placeholders; `\{` becomes a brace, and malformed placeholders stay as text. */
export function parseTemplate(text: string): Template {
  const parts: (string | Placeholder)[] = [];
  let literal = '';
  let from = 0;
  for (const match of text.matchAll(AT_BRACE)) {
    const [whole] = match;
    const placeholder = placeholderOf(match);
    literal += text.slice(from, match.index);
    from = match.index + whole.length;
    if (whole === '\\{') literal += '{';
    else if (!placeholder) literal += whole;
    else {
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push(placeholder);
    }
  }
  literal += text.slice(from);
  if (literal !== '' || parts.length === 0) parts.push(literal);
  return parts;
}

function capitalized(text: string): string {
  const length = (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, length).toUpperCase() + text.slice(length);
}

/** A value in a format. Words of `CapitalizeAllFirst` are separated by white space. */
export function formatted(text: string, format: Format): string {
  switch (format) {
    case 'regular':
    case 'raw':
      return text;
    case 'capitalizefirst':
      return capitalized(text);
    case 'capitalizeallfirst':
      return text.replace(/(?<=^|\s)\S/gu, (first) => first.toUpperCase());
    case 'uppercase':
      return text.toUpperCase();
    case 'lowercase':
      return text.toLowerCase();
  }
}

function plainDecimal(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = '', first = '', rest = '', exponent = ''] = match;
  const digits = first + rest;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0');
}

const inDigits = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? jsonInteger(value) : value);

const minutes = (date: Date): string => date.toISOString().slice(0, 16).replace('T', ' ');

function written(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value.toWellFormed();
    case 'number':
      return plainDecimal(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return '';
      if (value instanceof Date) return minutes(value);
      if (Array.isArray(value)) return value.map(written).join(', ');
      return JSON.stringify(value, inDigits).toWellFormed();
    default:
      return '';
  }
}

/** A value of a tag or of a request as text (R-I17); undefined for missing values: null, "" and []. */
export function valueText(value: unknown): string | undefined {
  const text = written(value);
  return text === '' ? undefined : text;
}

const childOf = (value: unknown, key: string): unknown => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  if (Array.isArray(value) && !/^\d+$/.test(key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
};

/** The request's value of a name: `template_bindings` by dotted path, then `dynamic_content_placeholders`. */
export function requestValue(name: string, { bindings, placeholders }: Variables): string | undefined {
  return valueText(name.split('.').reduce(childOf, bindings)) ?? valueText(childOf(placeholders, name));
}

interface ReviverContext {
  readonly source?: string;
}

/** Integers that a number cannot represent are exact. */
function parseVariables(json: string): unknown {
  if (json === '') return undefined;
  return JSON.parse(json, (_key: string, value: unknown, context?: ReviverContext) => {
    const source = context?.source;
    const exact = typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined;
    return exact || !/^-?\d+$/.test(source) ? value : BigInt(source);
  }) as unknown;
}

/** The values that a content has for its placeholders. */
export function variablesOf(content: Content): Variables {
  return { bindings: parseVariables(content.bindings), placeholders: parseVariables(content.placeholders) };
}

/**
 * Maximum characters of an expanded text: no channel accepts as many, not even e-mail, so that none is sent in part. A value may occur in it thousands of
 * times, so the remainder is not created.
 */
export const FILLED_LIMIT = 1_048_576;

/** A text whose placeholders are those that depend on the device. */
export type CompiledText = Template;

type Encode = (value: string) => string;

/**
 * A value in the URL of a file. The value may be the whole URL, so the characters of the syntax of URLs and the escapes in it stay; characters that no
 * URL contains are percent-encoded (R-I17).
 */
export const inFileUrl = (value: string): string =>
  encodeURI(value.toWellFormed()).replaceAll(/%25(?=[0-9a-f]{2})/gi, '%');

const unchanged: Encode = (value) => value;

const shownAs = ({ format, fallback }: Placeholder, value: string | undefined, encode: Encode): string =>
  encode(value === undefined || value === '' ? fallback : formatted(value, format));

/** Expands the placeholders that have the same value for every device. @param encode applied to inserted values */
export function compileText(text: string, variables: Variables, encode: Encode): CompiledText {
  const compiled: (string | Placeholder)[] = [];
  let length = 0;
  for (const part of parseTemplate(text)) {
    if (length > FILLED_LIMIT) break;
    const value = typeof part === 'string' ? undefined : requestValue(part.name, variables);
    const shown = value === undefined ? part : shownAs(part as Placeholder, value, encode);
    if (typeof shown === 'string') length += shown.length;
    compiled.push(shown);
  }
  return compiled;
}

/** Expands the other placeholders for a device, as {@link filledText} does. */
export function fillText(
  text: CompiledText,
  valueOf: (tag: string) => string | undefined,
  encode: Encode = unchanged,
): string {
  let filled = '';
  for (const part of text) {
    if (filled.length > FILLED_LIMIT) break;
    filled += typeof part === 'string' ? part : shownAs(part, valueOf(part.name), encode);
  }
  return filled;
}

/**
 * A text with its placeholders expanded for one device (R-I16), up to the value that exceeds {@link FILLED_LIMIT}; `valueOf` returns the device's
 * value of a tag by name, undefined or "" without one.
 * @param encode applied to inserted values
 * @default nothing
 */
export const filledText = (
  text: string,
  variables: Variables,
  valueOf: (tag: string) => string | undefined,
  encode: Encode = unchanged,
): string =>
  // Texts of a message are usually empty or the same for all devices.
  text.includes('{') ? fillText(compileText(text, variables, encode), valueOf, encode) : text;

/** The text for a language, "" being none (R-I15): exact, `default`, `en`, else the first; undefined without any. */
export const textFor = (localized: Localized | undefined, language: string): string | undefined =>
  entryFor(localized?.entries ?? [], language)?.text;

/** The entry for a language, chosen like the entry of a text; undefined if there are none. */
export function entryFor<Entry extends { readonly language: string }>(
  entries: readonly Entry[],
  language: string,
): Entry | undefined {
  for (const wanted of [language || 'default', 'default', 'en']) {
    const entry = entries.find((candidate) => candidate.language === wanted);
    if (entry) return entry;
  }
  return entries[0];
}

/**
 * Whether a link is replaced by a short one: http(s), and the same for every device. One with placeholders differs by recipient, so it is not
 * replaced (R-I19).
 */
export const isShortenable = (link: string): boolean =>
  /^https?:\/\//i.test(link) && parseTemplate(link).every((part) => typeof part === 'string');

/** The address of a link that {@link isShortenable}: `\{` is a brace (R-I17). */
export const addressOf = (link: string): string => fillText(parseTemplate(link), () => undefined);

import type { Content, Localized } from '@tidings/events';
import { jsonInteger } from '@tidings/kernel';

export type Format = 'regular' | 'raw' | 'capitalizefirst' | 'capitalizeallfirst' | 'uppercase' | 'lowercase';

export interface Placeholder {
  readonly name: string;
  readonly format: Format;
  readonly fallback: string;
}

export type Template = readonly (string | Placeholder)[];

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

/** No branch contains a brace, so parsing is linear. */
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

/** Missing values are null, "" and [] (R-I17). */
export function valueText(value: unknown): string | undefined {
  const text = written(value);
  return text === '' ? undefined : text;
}

const childOf = (value: unknown, key: string): unknown => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  if (Array.isArray(value) && !/^\d+$/.test(key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
};

export function requestValue(name: string, { bindings, placeholders }: Variables): string | undefined {
  return valueText(name.split('.').reduce(childOf, bindings)) ?? valueText(childOf(placeholders, name));
}

interface ReviverContext {
  readonly source?: string;
}

function parseVariables(json: string): unknown {
  if (json === '') return undefined;
  return JSON.parse(json, (_key: string, value: unknown, context?: ReviverContext) => {
    const source = context?.source;
    const exact = typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined;
    return exact || !/^-?\d+$/.test(source) ? value : BigInt(source);
  }) as unknown;
}

export function variablesOf(content: Content): Variables {
  return { bindings: parseVariables(content.bindings), placeholders: parseVariables(content.placeholders) };
}

/** No channel accepts as many characters; a value may occur thousands of times. */
export const FILLED_LIMIT = 1_048_576;

export type CompiledText = Template;

type Encode = (value: string) => string;

/** The value may be the whole URL, so its syntax and escapes stay (R-I17). */
export const inFileUrl = (value: string): string =>
  encodeURI(value.toWellFormed()).replaceAll(/%25(?=[0-9a-f]{2})/gi, '%');

const unchanged: Encode = (value) => value;

const shownAs = ({ format, fallback }: Placeholder, value: string | undefined, encode: Encode): string =>
  encode(value === undefined || value === '' ? fallback : formatted(value, format));

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

export const filledText = (
  text: string,
  variables: Variables,
  valueOf: (tag: string) => string | undefined,
  encode: Encode = unchanged,
): string => (text.includes('{') ? fillText(compileText(text, variables, encode), valueOf, encode) : text);

/** The exact language wins, then `default`, `en`, the first (R-I15). */
export const textFor = (localized: Localized | undefined, language: string): string | undefined =>
  entryFor(localized?.entries ?? [], language)?.text;

export function entryFor<Entry extends { readonly language: string }>(
  entries: readonly Entry[],
  language: string,
): Entry | undefined {
  for (const candidateLanguage of [language || 'default', 'default', 'en']) {
    const entry = entries.find((candidate) => candidate.language === candidateLanguage);
    if (entry) return entry;
  }
  return entries[0];
}

export const isShortenable = (link: string): boolean =>
  /^https?:\/\//i.test(link) && parseTemplate(link).every((part) => typeof part === 'string');

export const addressOf = (link: string): string => fillText(parseTemplate(link), () => undefined);

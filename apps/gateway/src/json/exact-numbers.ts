import { randomUUID } from 'node:crypto';
import { isWellFormed, LongInteger } from '@tidings/contract';

const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON: (this: void, text: string) => { readonly rawJSON: string };
  isRawJSON: (this: void, value: unknown) => value is { readonly rawJSON: string };
};

const MAY_BE_LONG = /[:,[][ \t\n\r]*-?[1-9]\d{15}/;
const BEGINS_INTEGER = /^-?[1-9]/;

/** Each costs as much as twenty numbers. */
const MAX_SOURCE_INTEGERS = 100_000;

const VISITS_PER_STEP = 4096;

const VERBATIM: ReadonlySet<string> = new Set([
  ...['data', 'userData', 'custom_data', 'customData', 'meta_data', 'metaData'],
  ...['root_params', 'rootParams', 'ios_root_params', 'android_root_params', 'huawei_android_root_params'],
  ...['adm_root_params', 'mac_root_params'],
  ...['template_bindings', 'dynamic_content_placeholders', 'dynamicContentPlaceholders'],
  // These numbers belong to the app, or are times of a few digits.
  'live_activity',
]);

/** Integers are compared exactly in these members (R-RES8). */
const EXACT: ReadonlySet<string> = new Set(['tags', 'conditions', 'filter_expression', 'filterExpression']);

/** A number stands for its digits (R-ER7): rounded 64-bit ids would collide. */
const IDENTIFIERS: ReadonlySet<string> = new Set([
  ...['hwid', 'userId', 'user_id', 'oldUserId', 'newUserId'],
  ...['users', 'devices', 'list'],
  ...['transactionId', 'transaction_id', 'live_activity_id', 'activity_id'],
]);

const NAMED_BY_CALLERS: ReadonlySet<string> = new Set(['tags', 'attributes']);

const [QUOTE, BACKSLASH, MINUS, ZERO, NINE] = ['"', '\\', '-', '0', '9'].map((sign) => sign.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
];
const OF_NUMBERS: ReadonlySet<number> = new Set([...'0123456789+-.eE'].map((sign) => sign.charCodeAt(0)));
const SPACE: ReadonlySet<number> = new Set([...' \t\n\r'].map((sign) => sign.charCodeAt(0)));
/** A number as a key stays unmarked, so that JSON.parse rejects it. */
const ENDS_VALUE: ReadonlySet<number> = new Set([...',]}'].map((sign) => sign.charCodeAt(0)));

function after(signs: ReadonlySet<number>, text: string, at: number): number {
  let end = at;
  while (signs.has(text.charCodeAt(end))) end++;
  return end;
}

function afterText(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (sign === QUOTE) return i + 1;
    if (sign === BACKSLASH) i++;
  }
  return text.length;
}

/** Without a quantifier: it would exhaust the stack of regular expressions at some millions of digits. */
const isInteger = (number: string): boolean => BEGINS_INTEGER.test(number) && !/\D/.test(number.slice(1));

const isLong = (number: string): boolean =>
  number.length > 15 && isInteger(number) && !Number.isSafeInteger(Number(number));

function withMarks(text: string, mark: string): string {
  let marked = '';
  let from = 0;
  for (let i = 0; i < text.length;) {
    const sign = text.charCodeAt(i);
    if (sign === QUOTE) i = afterText(text, i);
    else if (sign !== MINUS && (sign < ZERO || sign > NINE)) i++;
    else {
      const end = after(OF_NUMBERS, text, i);
      const number = text.slice(i, end);
      if (isLong(number) && ENDS_VALUE.has(text.charCodeAt(after(SPACE, text, end)))) {
        marked += `${text.slice(from, i)}"${mark}${number}"`;
        from = end;
      }
      i = end;
    }
  }
  return marked + text.slice(from);
}

interface Open {
  readonly container: Record<string | number, unknown>;
  readonly name: string;
  readonly isVerbatim: boolean;
  readonly isExact: boolean;
}

function* unmark(root: object, mark: string): Generator<void, void> {
  let sourceIntegers = 0;
  let visited = 0;
  const open: Open[] = [{ container: root as Open['container'], name: '', isVerbatim: false, isExact: false }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { container, name, isVerbatim, isExact } = next;
    const visit = (key: string | number, field: string, of = field): void => {
      const value = container[key];
      if (typeof value === 'string') {
        if (!value.startsWith(mark)) return;
        const number = value.slice(mark.length);
        if (isVerbatim && sourceIntegers++ < MAX_SOURCE_INTEGERS) container[key] = rawJSON(number);
        else if (isExact) container[key] = new LongInteger(number);
        else container[key] = IDENTIFIERS.has(of) ? number : Number(number);
      } else if (typeof value === 'object' && value !== null) {
        open.push({
          container: value as Open['container'],
          name: field,
          isVerbatim: isVerbatim || VERBATIM.has(field),
          isExact: isExact || EXACT.has(field),
        });
      }
    };
    const isList = Array.isArray(container);
    const keys = isList ? container.keys() : Object.keys(container);
    for (const key of keys) {
      if (isList) visit(key, '', name);
      else visit(key, NAMED_BY_CALLERS.has(name) ? '' : (key as string));
      if (++visited % VISITS_PER_STEP === 0) yield;
    }
  }
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** Keeps integers beyond 2^53 exact, 100,000 at most as source text. Linear time. */
export class ExactReader {
  isIllFormed = false;
  // Unguessable: no caller's string may be taken for a number.
  #mark: string | undefined;

  parse(text: string): unknown {
    const value = JSON.parse(MAY_BE_LONG.test(text) ? withMarks(text, (this.#mark ??= randomUUID())) : text) as unknown;
    if (!this.isIllFormed && text.includes('\\u') && SURROGATE_ESCAPE.test(text))
      this.isIllFormed = !isWellFormed(value);
    return value;
  }

  check(text: string): void {
    this.isIllFormed ||= !text.isWellFormed();
  }

  restore(value: unknown): Iterable<void> {
    return this.#mark !== undefined && typeof value === 'object' && value !== null ? unmark(value, this.#mark) : NONE;
  }
}

const NONE: readonly void[] = [];

export function parseExactly(text: string, reader = new ExactReader()): unknown {
  const value = reader.parse(text);
  for (const _ of reader.restore(value));
  return value;
}

export const parseVerbatim = (json: string): unknown =>
  (parseExactly(`{"data":[${json}]}`) as { data: [unknown] }).data[0];

export const isSourceText = (value: object): boolean => isRawJSON(value) || value instanceof LongInteger;

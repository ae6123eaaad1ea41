import { randomUUID } from 'node:crypto';
import { isWellFormed, LongInteger } from '@tidings/contract';

/** Missing from the library types: values that JSON.stringify writes as their source text. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON: (this: void, text: string) => { readonly rawJSON: string };
  isRawJSON: (this: void, value: unknown) => value is { readonly rawJSON: string };
};

/** Matches every integer that a number may not hold, and some that it can. */
const MAY_BE_LONG = /[:,[][ \t\n\r]*-?[1-9]\d{15}/;
const LONG_INTEGER = /^-?[1-9]\d{15,}$/;

/** Each costs as much as twenty numbers; a body with more of them in members that are passed on is too large. */
const MOST_KEPT = 100_000;

const VISITS_PER_STEP = 4096;

/** Members that are passed on as their source JSON (R-I18). */
const PASSED_ON: ReadonlySet<string> = new Set([
  ...['data', 'userData', 'custom_data', 'customData', 'meta_data', 'metaData'],
  ...['root_params', 'rootParams', 'ios_root_params', 'android_root_params', 'huawei_android_root_params'],
  ...['adm_root_params', 'mac_root_params'],
  ...['template_bindings', 'dynamic_content_placeholders', 'dynamicContentPlaceholders'],
  // The numbers of a live activity belong to the app, or are times of a few digits.
  'live_activity',
]);

/** Members in which integers are compared and counted exactly (R-RES8). */
const EXACT: ReadonlySet<string> = new Set(['tags', 'conditions', 'filter_expression', 'filterExpression']);

/**
 * Members whose values are names of devices, users, requests and activities, or lists of them: a number there stands for its digits (R-ER7). Rounded ids
 * of 64 bits would make one of several.
 */
const IDENTIFIERS: ReadonlySet<string> = new Set([
  ...['hwid', 'userId', 'user_id', 'oldUserId', 'newUserId'],
  ...['users', 'devices', 'list'],
  ...['transactionId', 'transaction_id', 'live_activity_id', 'activity_id'],
]);

/** Objects whose members are no fields of the API. */
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
/** The characters that follow a value. A number in the place of a key stays unmarked, and JSON.parse rejects it. */
const ENDS_VALUE: ReadonlySet<number> = new Set([...',]}'].map((sign) => sign.charCodeAt(0)));

/** Index of the first character from `at` on that is not in `signs`. */
function after(signs: ReadonlySet<number>, text: string, at: number): number {
  let end = at;
  while (signs.has(text.charCodeAt(end))) end++;
  return end;
}

/** Index behind the text literal whose first quote is at `at`. */
function afterText(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (sign === QUOTE) return i + 1;
    if (sign === BACKSLASH) i++;
  }
  return text.length;
}

const isLong = (number: string): boolean =>
  number.length > 15 && LONG_INTEGER.test(number) && !Number.isSafeInteger(Number(number));

/** Replaces long integers in JSON by strings that begin with `mark`. One pass: each character is visited a bounded number of times. */
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
  /** The field that contains it; "" outside the fields of the API. */
  readonly name: string;
  readonly isPassedOn: boolean;
  readonly isExact: boolean;
}

/** Replaces marked strings by numbers, in passed-on members by their source text, in identifiers by their digits. Handles any depth. */
function* unmark(root: object, mark: string): Generator<void, void> {
  let kept = 0;
  let visited = 0;
  const open: Open[] = [{ container: root as Open['container'], name: '', isPassedOn: false, isExact: false }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { container, name, isPassedOn, isExact } = next;
    /** @param field the name of the field that holds a container @param of the name of the field that holds a number: in a list, the list's name */
    const visit = (key: string | number, field: string, of = field): void => {
      const value = container[key];
      if (typeof value === 'string') {
        if (!value.startsWith(mark)) return;
        const number = value.slice(mark.length);
        if (isPassedOn && kept++ < MOST_KEPT) container[key] = rawJSON(number);
        else if (isExact) container[key] = new LongInteger(number);
        else container[key] = IDENTIFIERS.has(of) ? number : Number(number);
      } else if (typeof value === 'object' && value !== null) {
        open.push({
          container: value as Open['container'],
          name: field,
          isPassedOn: isPassedOn || PASSED_ON.has(field),
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

/**
 * Parses JSON as a whole or in parts, and keeps integers beyond 2^53 exact: up to 100,000 of them in passed-on members, those in
 * tags and conditions, as {@link LongInteger}, and integers that name devices, users, requests and activities, as text. Linear time.
 */
export class ExactReader {
  /** Whether JSON escaped half of a surrogate pair. */
  isIllFormed = false;
  // No caller can guess it, so no caller's string is taken for a number.
  #mark: string | undefined;

  /** The value of a part, whose long integers are not restored yet. @throws SyntaxError */
  parse(text: string): unknown {
    const value = JSON.parse(MAY_BE_LONG.test(text) ? withMarks(text, (this.#mark ??= randomUUID())) : text) as unknown;
    if (!this.isIllFormed && text.includes('\\u') && SURROGATE_ESCAPE.test(text))
      this.isIllFormed = !isWellFormed(value);
    return value;
  }

  /** Notes whether a text has lone surrogates. */
  check(text: string): void {
    this.isIllFormed ||= !text.isWellFormed();
  }

  /** Restores the long integers of the whole, in steps. */
  restore(value: unknown): Iterable<void> {
    return this.#mark !== undefined && typeof value === 'object' && value !== null ? unmark(value, this.#mark) : NONE;
  }
}

const NONE: readonly void[] = [];

/** JSON.parse by an {@link ExactReader}. @throws SyntaxError */
export function parseExactly(text: string, reader = new ExactReader()): unknown {
  const value = reader.parse(text);
  for (const _ of reader.restore(value));
  return value;
}

/** The value of JSON text that callers gave to be passed on (R-I18): JSON.stringify writes its integers as they came, also beyond 2^53. */
export const passedOn = (json: string): unknown => (parseExactly(`{"data":[${json}]}`) as { data: [unknown] }).data[0];

/** Whether a value is a number kept as its source text. */
export const isKept = (value: object): boolean => isRawJSON(value) || value instanceof LongInteger;

interface ReviverContext {
  readonly source?: string;
}

/** Not in the library types yet: values that JSON.stringify writes as the text that they were made of. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON: (this: void, text: string) => { readonly rawJSON: string };
  isRawJSON: (this: void, value: unknown) => value is { readonly rawJSON: string };
};

/** What a number cannot hold, it looks like this; and some that it can. */
const LONG_NUMBER = /[:,[]\s*-?\d{16}/;

/** It takes ten times as long as to read numbers as they are: bulk requests, which pass nothing on, may be longer. */
const LONGEST_TEXT = 4 * 1024 * 1024;

/** Members that go on as the JSON that they came as (R-I18). */
const PASSED_ON: ReadonlySet<string> = new Set([
  ...['data', 'userData', 'ios_root_params', 'android_root_params', 'rootParams'],
  ...['template_bindings', 'dynamic_content_placeholders'],
]);

/** Objects whose members are no fields of the API. */
const NAMED_BY_CALLERS: ReadonlySet<string> = new Set(['tags', 'attributes']);

const keepLong = (_key: string, value: unknown, context?: ReviverContext): unknown => {
  const source = context?.source;
  const isLong =
    typeof value === 'number' && source !== undefined && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
  return isLong ? rawJSON(source) : value;
};

function settled(value: unknown, name: string): unknown {
  if (isRawJSON(value)) return Number(value.rawJSON);
  if (typeof value !== 'object' || value === null || PASSED_ON.has(name)) return value;
  if (Array.isArray(value)) return value.map((member) => settled(member, ''));
  const members = Object.entries(value).map(([key, member]) => [
    key,
    settled(member, NAMED_BY_CALLERS.has(name) ? '' : key),
  ]);
  return Object.fromEntries(members);
}

/** JSON.parse, but that integers beyond 2^53 stay what they are in what is passed on, unless the text is very long. Throws SyntaxError. */
export function parseExactly(text: string): unknown {
  return text.length <= LONGEST_TEXT && LONG_NUMBER.test(text)
    ? settled(JSON.parse(text, keepLong), '')
    : (JSON.parse(text) as unknown);
}

/** Whether a value is a number that was kept as its text. */
export const isKept = (value: object): boolean => isRawJSON(value);

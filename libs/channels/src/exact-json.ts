/** A JSON object whose numbers are kept as they were written. */
export type JsonObject = Readonly<Record<string, unknown>>;

interface ReviverContext {
  readonly source?: string;
}

/** Not in the library types yet: a value that JSON.stringify writes as the text it was made of. */
const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => unknown };

function exact(_key: string, value: unknown, context?: ReviverContext): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value;
}

/** Reads a JSON object; an absent text is an empty one. Throws SyntaxError for anything else. */
export function parseObject(text: string | undefined): JsonObject {
  if (text === undefined || text === '') return {};
  const value = JSON.parse(text, exact) as unknown;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('not a JSON object');
  return value as JsonObject;
}

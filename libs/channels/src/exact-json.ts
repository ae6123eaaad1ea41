/** A JSON object with exact numbers. */
export type JsonObject = Readonly<Record<string, unknown>>;

interface ReviverContext {
  readonly source?: string;
}

/** JSON.rawJSON, which the library types lack: a value that JSON.stringify writes as its source text. */
const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => unknown };

function exact(_key: string, value: unknown, context?: ReviverContext): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value;
}

/** Parses a JSON object; an absent text is an empty one. Throws SyntaxError for anything else. */
export function parseObject(text: string | undefined): JsonObject {
  if (text === undefined || text === '') return {};
  const value = JSON.parse(text, exact) as unknown;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('not a JSON object');
  return value as JsonObject;
}

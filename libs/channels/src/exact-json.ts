export type JsonObject = Readonly<Record<string, unknown>>;

interface ReviverContext {
  readonly source?: string;
}

/** The library types lack JSON.rawJSON. */
const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => unknown };

function exact(_key: string, value: unknown, context?: ReviverContext): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value;
}

/** Numbers stay exact. @throws SyntaxError for anything but an object */
export function parseObject(text: string | undefined): JsonObject {
  if (text === undefined || text === '') return {};
  const value = JSON.parse(text, exact) as unknown;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('not a JSON object');
  return value as JsonObject;
}

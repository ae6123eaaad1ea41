/** JSON.rawJSON, which the library types lack: a value that JSON.stringify writes as its source text. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON: (this: void, text: string) => unknown;
  isRawJSON: (this: void, value: unknown) => boolean;
};

/** An integer in a request's JSON that a double would round, in its original digits. JSON.stringify writes it unchanged. */
export class LongInteger {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toJSON(): unknown {
    return rawJSON(this.digits);
  }
}

/** Whether a value stands for a number of a request's JSON. */
export const isExactNumber = (value: object): boolean => value instanceof LongInteger || isRawJSON(value);

const withTexts = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, withText(value)]));

/** The value with long integers as decimal text, as services exchange it: every tag type accepts that text as the number (R-ER7, R-RES8). */
export function withText(value: unknown): unknown {
  if (value instanceof LongInteger) return value.digits;
  if (Array.isArray(value)) return value.map(withText);
  return typeof value === 'object' && value !== null ? withTexts(value as Record<string, unknown>) : value;
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Tags by name, their values converted by {@link withText}; most contain no long integers and are returned unchanged. */
export function tagTexts(tags: Readonly<Record<string, unknown>>): Record<string, unknown> {
  for (const name in tags) if (isContainer(tags[name])) return withTexts(tags);
  return tags;
}

/** The names of tags whose value is a long integer. */
export const longIntegersIn = (tags: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(tags).filter((name) => tags[name] instanceof LongInteger);

/** Not in the library types yet: a value that JSON.stringify writes as the text that it was made of. */
const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => unknown };

/** An integer of a request's JSON that a double would round, as it was written. JSON.stringify writes it so again. */
export class LongInteger {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toJSON(): unknown {
    return rawJSON(this.digits);
  }
}

const withTexts = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, withText(value)]));

/** The value as services hand it on, in which long integers are decimal text: every type of tag takes that for the number (R-ER7, R-RES8). */
export function withText(value: unknown): unknown {
  if (value instanceof LongInteger) return value.digits;
  if (Array.isArray(value)) return value.map(withText);
  return typeof value === 'object' && value !== null ? withTexts(value as Record<string, unknown>) : value;
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Tags by their names, with {@link withText} for values; most have neither long integers nor anything that could hold them. */
export function tagTexts(tags: Readonly<Record<string, unknown>>): Record<string, unknown> {
  for (const name in tags) if (isContainer(tags[name])) return withTexts(tags);
  return tags;
}

/** The names of tags whose value is a long integer. */
export const longIntegersIn = (tags: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(tags).filter((name) => tags[name] instanceof LongInteger);

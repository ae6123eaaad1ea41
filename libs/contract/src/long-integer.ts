const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON: (this: void, text: string) => unknown;
  isRawJSON: (this: void, value: unknown) => boolean;
};

/** An integer that a double would round. JSON.stringify writes its original digits. */
export class LongInteger {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toJSON(): unknown {
    return rawJSON(this.digits);
  }
}

export const isExactNumber = (value: object): boolean => value instanceof LongInteger || isRawJSON(value);

const withTexts = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, withText(value)]));

/** Long integers as decimal text, which every tag type accepts as the number (R-ER7, R-RES8). */
export function withText(value: unknown): unknown {
  if (value instanceof LongInteger) return value.digits;
  if (Array.isArray(value)) return value.map(withText);
  return typeof value === 'object' && value !== null ? withTexts(value as Record<string, unknown>) : value;
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

export function tagTexts(tags: Readonly<Record<string, unknown>>): Record<string, unknown> {
  for (const name in tags) if (isContainer(tags[name])) return withTexts(tags);
  return tags;
}

export const longIntegersIn = (tags: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(tags).filter((name) => tags[name] instanceof LongInteger);

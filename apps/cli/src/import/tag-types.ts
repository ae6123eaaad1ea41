/** R-RES8 */
export const tagTypes = { integer: 1, string: 2, list: 3, date: 4, boolean: 5, decimal: 6, version: 7 } as const;

export type TagTypeName = keyof typeof tagTypes;

export const tagTypeNames = Object.keys(tagTypes) as TagTypeName[];

const INTEGER = /^-?(0|[1-9]\d{0,14})$/;
const DECIMAL = /^-?(0|[1-9]\d{0,14})\.\d{1,15}$/;
const DATE = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

function typeOfText(text: string): TagTypeName {
  if (INTEGER.test(text)) return 'integer';
  if (DECIMAL.test(text)) return 'decimal';
  if (text === 'true' || text === 'false') return 'boolean';
  return DATE.test(text) ? 'date' : 'string';
}

/** Undefined if the value says nothing of its tag. */
export function typeOfValue(value: unknown): TagTypeName | undefined {
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'boolean':
      return 'boolean';
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'decimal';
    case 'string':
      return value === '' ? undefined : typeOfText(value);
    default:
      return undefined;
  }
}

/** The narrowest type that accepts what either accepts. */
export function typeOfBoth(one: TagTypeName, other: TagTypeName): TagTypeName {
  if (one === other) return one;
  const both = new Set([one, other]);
  if (both.has('list')) return 'list';
  return both.has('integer') && both.has('decimal') ? 'decimal' : 'string';
}

export type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typesOf = ({ type }: Schema): readonly string[] | undefined =>
  typeof type === 'string' ? [type] : Array.isArray(type) ? (type as string[]) : undefined;

const typeOfValue = (value: unknown): string =>
  value === null ? 'null' : typeof value === 'number' ? 'integer' : typeof value;

const LISTING = ['enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref', 'not'];

const isPlain = (schema: Schema): boolean =>
  typesOf(schema) !== undefined && LISTING.every((keyword) => !(keyword in schema));

function byType(values: readonly unknown[]): Schema[] {
  const types = Map.groupBy(values, typeOfValue);
  return [...types].map(([type, of]) => (type === 'null' ? { type } : { type, enum: of }));
}

function flattened(branch: Schema): Schema[] {
  const { anyOf, ...others } = branch;
  if (Array.isArray(anyOf) && Object.keys(others).length === 0) return (anyOf as Schema[]).flatMap(flattened);
  const values = branch['enum'];
  return Array.isArray(values) && new Set(values.map(typeOfValue)).size > 1 ? byType(values) : [branch];
}

function loosely({ type, enum: values }: { readonly type: string; readonly enum: readonly unknown[] }): Schema {
  if (type === 'string') return { type, pattern: `^(${values.join('|')})$` };
  const numbers = values as number[];
  return { type, minimum: Math.min(...numbers), maximum: Math.max(...numbers) };
}

type Listed = Schema & { readonly type: string; readonly enum: readonly unknown[] };
const isListed = (schema: Schema): schema is Listed => 'enum' in schema && typeof schema['type'] === 'string';

function listsTogether(branches: readonly Schema[]): Schema[] {
  const lists = Map.groupBy(branches.filter(isListed), ({ type }) => type);
  const together = [...lists].map(([type, of]) => ({ type, enum: [...new Set(of.flatMap((each) => each.enum))] }));
  const isBoolean = branches.some(({ type }) => type === 'boolean');
  return [
    ...branches.filter((branch) => !isListed(branch)),
    ...together.map((each) => (isBoolean ? loosely(each) : each)),
  ];
}

const isCompound = (type: string): boolean => type === 'object' || type === 'array';

/** The first of two strings or numbers counts: the narrower one. */
function plainTogether(branches: readonly Schema[]): Schema[] {
  const plain = branches.filter(isPlain);
  const given = plain.flatMap((each) => typesOf(each)!);
  const types = new Set(given);
  const isTwice = given.some((type, index) => isCompound(type) && given.indexOf(type) !== index);
  if (plain.length < 2 || isTwice) return [...branches];
  if (types.has('number')) types.delete('integer');
  const keywords = Object.assign({}, ...plain.toReversed()) as Schema;
  return [{ ...keywords, type: [...types] }, ...branches.filter((branch) => !isPlain(branch))];
}

function withNull(branches: readonly Schema[]): Schema[] {
  const [list, ...others] = branches.filter(({ type }) => type !== 'null');
  if (!list || !isListed(list) || others.length > 0 || branches.length === 1) return [...branches];
  return [{ ...list, type: [list.type, 'null'], enum: [...list.enum, null] }];
}

const withoutLength = ({ maxLength: _, ...schema }: Schema): Schema => schema;

const isWords = (values: unknown): boolean =>
  Array.isArray(values) && values.every((value) => typeof value === 'string');

const isUnbounded = (keyword: string, value: unknown): boolean =>
  (keyword === 'minimum' || keyword === 'maximum') && Math.abs(value as number) === Number.MAX_SAFE_INTEGER;

function descriptionOf({ description, anyOf }: Schema): string | undefined {
  const [value, empty] = (anyOf ?? []) as (Schema | undefined)[];
  const inherited = value && empty?.['type'] === 'null' ? descriptionOf(value) : undefined;
  return (description as string | undefined) ?? inherited;
}

function described(schema: Schema, description?: string): Schema {
  const { constraint } = schema as { readonly constraint?: string };
  if (constraint === undefined) return description === undefined ? schema : { ...schema, description };
  const whole = [description, constraint].filter((text) => text !== undefined).join(' ');
  return Object.fromEntries(
    Object.entries(schema).map((member) => (member[0] === 'constraint' ? ['description', whole] : member)),
  );
}

const simplifiedField = (schema: Schema): Schema => described(simplified(schema), descriptionOf(schema));

function simplifiedMember([keyword, value]: readonly [string, unknown]): [string, unknown] {
  if (keyword === 'properties') {
    return [
      keyword,
      Object.fromEntries(Object.entries(value as Schema).map(([name, of]) => [name, simplifiedField(of as Schema)])),
    ];
  }
  if (keyword === 'additionalProperties' && isSchema(value) && Object.keys(value).length === 0) return [keyword, true];
  if (['items', 'additionalProperties', 'not'].includes(keyword) && isSchema(value))
    return [keyword, described(simplified(value))];
  if (['anyOf', 'oneOf', 'prefixItems'].includes(keyword)) return [keyword, (value as Schema[]).map(simplified)];
  return [keyword, value];
}

/** Common client generators drop alternatives and mixed lists. */
export function simplified(schema: Schema): Schema {
  const { description: _, ...keywords } = schema;
  const members = Object.entries(keywords).filter(([keyword, value]) => !isUnbounded(keyword, value));
  const { anyOf, ...own } = Object.fromEntries(members.map(simplifiedMember)) as { readonly anyOf?: readonly Schema[] };
  const branches = anyOf ?? flattened(own);
  if (!anyOf && branches.length === 1) return own;
  const flat = withNull(plainTogether(listsTogether(branches.flatMap(flattened))));
  const outer: Schema = anyOf ? own : {};
  if (flat.length > 1) return { ...outer, anyOf: flat };
  const whole: Schema = { ...flat[0], ...outer };
  return isWords(outer['enum']) ? { ...withoutLength(whole), type: 'string' } : whole;
}

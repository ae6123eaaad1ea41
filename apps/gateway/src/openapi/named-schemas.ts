import type { Schema } from './simplify.ts';

/** Names from the method down to a field: createMessage, request, notifications. */
type Path = readonly string[];

/** What a whole body or reply is called: methods never share these. */
export const BODY = 'body';
export const REPLY = 'reply';
const wholes: ReadonlySet<string> = new Set([BODY, REPLY, 'request', 'response']);

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasFields = ({ type, properties }: Schema): boolean => type === 'object' && isObject(properties);

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/** Generators call a whole HTTP response so. */
const RESPONSE = 'response';

const pascal = (name: string): string =>
  (name === RESPONSE ? 'result' : name)
    .split(/[^A-Za-z0-9]+/)
    .map(capitalized)
    .join('');

const singular = (name: string): string => name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');

/** The word in parentheses, where a title has one. */
const variantOf = (title: string): string => /\((\w+)\)$/.exec(title)?.[1]?.toLowerCase() ?? title;

type Visit = (schema: Schema, path: Path) => Schema;

/** Rebuilds a schema from what `visit` returns for the schemas directly within it. */
function within(schema: Schema, path: Path, visit: Visit): Schema {
  const members = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === 'properties') {
      const fields = Object.entries(value as Schema).map(([name, of]) => [name, visit(of as Schema, [...path, name])]);
      return [keyword, Object.fromEntries(fields)];
    }
    const item = [...path.slice(0, -1), singular(path.at(-1)!)];
    if (['items', 'additionalProperties', 'not'].includes(keyword) && isObject(value))
      return [keyword, visit(value, item)];
    if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword)) {
      return [keyword, (value as Schema[]).map((each) => visit(each, branchPath(each, path)))];
    }
    return [keyword, value];
  });
  return Object.fromEntries(members);
}

const branchPath = ({ title }: Schema, path: Path): Path =>
  typeof title === 'string' ? [...path, variantOf(title)] : path;

const ofObjects: ReadonlySet<string> = new Set(['properties', 'required', 'additionalProperties']);

/** Makes an alternative of its own from an object that may also be null, or of another type. */
function withObjectApart(schema: Schema): Schema {
  const { type, description, ...keywords } = schema;
  if (!Array.isArray(type) || !type.includes('object') || !isObject(schema['properties'])) return schema;
  const others = (type as string[]).filter((each) => each !== 'object');
  const [objects, rest] = [true, false].map((isOwn) =>
    Object.fromEntries(Object.entries(keywords).filter(([keyword]) => ofObjects.has(keyword) === isOwn)),
  );
  return {
    anyOf: [
      { type: 'object', ...objects },
      { type: others.length === 1 ? others[0] : others, ...rest },
    ],
    ...(description !== undefined && { description }),
  };
}

const isWhole = (path: Path): boolean => path.length === 2 || wholes.has(path.at(-1)!);

const contentOf = ({ description: _, ...schema }: Schema): string => JSON.stringify(schema);

/** By the method of a whole, and `''` for all parts. */
type Names = Map<string, string>;

/**
 * Moves objects with fields to components, where equal ones share a name. A name begins with the method unless several methods have the object, and
 * earlier objects keep their names as methods are added.
 */
export class NamedSchemas {
  readonly #uses = new Map<string, { readonly paths: Path[]; readonly names: Names }>();
  readonly #components = new Map<string, Schema>();
  readonly #taken: Set<string>;

  constructor(reserved: Iterable<string>) {
    this.#taken = new Set(reserved);
  }

  /** Has to see every schema before the first is replaced. */
  collect(given: Schema, path: Path): void {
    const schema = withObjectApart(given);
    if (hasFields(schema)) {
      const content = contentOf(schema);
      const existing = this.#uses.get(content);
      if (existing) existing.paths.push(path);
      else this.#uses.set(content, { paths: [path], names: new Map() });
    }
    within(schema, path, (each, at) => {
      this.collect(each, at);
      return each;
    });
  }

  replaced(given: Schema, path: Path): Schema {
    const schema = withObjectApart(given);
    const inner = within(schema, path, (each, at) => this.replaced(each, at));
    if (!hasFields(schema)) return inner;
    const name = this.#nameOf(schema, path);
    if (!this.#components.has(name)) this.#components.set(name, inner);
    const { description } = schema;
    const isOther = description !== undefined && description !== this.#components.get(name)!['description'];
    return { $ref: `#/components/schemas/${name}`, ...(isOther && { description }) };
  }

  /** By name. */
  get components(): Readonly<Record<string, Schema>> {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #nameOf(schema: Schema, path: Path): string {
    const { paths, names } = this.#uses.get(contentOf(schema))!;
    const parts = paths.filter((each) => !isWhole(each));
    const owner = parts.length > 0 ? '' : path[0]!;
    const existing = names.get(owner);
    if (existing !== undefined) return existing;
    const name = this.#freeName(owner === '' ? parts : paths.filter(([method]) => method === owner));
    names.set(owner, name);
    this.#taken.add(name);
    return name;
  }

  #freeName(paths: readonly Path[]): string {
    const [[method = '', ...first] = []] = paths;
    const isShared = paths.some(([other]) => other !== method);
    const isOneField = paths.every((path) => path.at(-1) === first.at(-1));
    const fields = isOneField ? first : [...first.slice(0, -1), 'item'];
    const prefix = isShared ? '' : pascal(method);
    for (let count = isOneField ? 1 : 2; count <= fields.length; count++) {
      const name = prefix + fields.slice(-count).map(pascal).join('');
      if (!this.#taken.has(name)) return name;
    }
    const whole = pascal(method) + fields.map(pascal).join('');
    for (let number = 2; ; number++) if (!this.#taken.has(`${whole}${number}`)) return `${whole}${number}`;
  }
}

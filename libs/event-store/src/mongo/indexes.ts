import { BSON, type Db, type Document, MongoServerError } from 'mongodb';
import { type IndexCheck, MAX_KEY_BYTES, type StoredFields, Unstorable } from '../storable.ts';

const CACHE_MS = 30_000;
const NAMESPACE_NOT_FOUND = 26;

interface IndexedPath {
  readonly name: string;
  readonly parts: readonly string[];
}

interface IndexedField {
  readonly path: number;
  readonly name: string;
  readonly hashed: boolean;
}

type Index = readonly IndexedField[];

interface Found {
  size: number;
  arrays: readonly string[];
}

/** Refuses what MongoDB 4.0's indexes would refuse after a commit. */
export class Indexes {
  readonly #db: Db;
  readonly #cached = new Map<string, { readonly readAt: number; readonly check: IndexCheck | undefined }>();

  constructor(db: Db) {
    this.#db = db;
  }

  async read(collections: Iterable<string>): Promise<void> {
    const now = performance.now();
    const stale = [...collections].filter((name) => (this.#cached.get(name)?.readAt ?? -Infinity) < now - CACHE_MS);
    await Promise.all(
      stale.map(async (name) => this.#cached.set(name, { readAt: now, check: checkOf(await this.#indexesOf(name)) })),
    );
  }

  check(collection: string): IndexCheck | undefined {
    return this.#cached.get(collection)?.check;
  }

  async #indexesOf(collection: string): Promise<readonly Document[]> {
    try {
      return (await this.#db.collection(collection).listIndexes().toArray()) as Document[];
    } catch (error) {
      if (error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND) return [];
      throw error;
    }
  }
}

export function checkOf(descriptions: readonly Document[]): IndexCheck | undefined {
  const secondary = descriptions.filter((description) => description['name'] !== '_id_');
  const unique = secondary.find((description) => description['unique'] === true);
  if (unique) {
    return () => {
      throw new Unstorable(`unique index ${unique['name']}: states must always be storable`);
    };
  }
  const paths: IndexedPath[] = [];
  const indexes = secondary.map((description) => fieldsOf(description, paths)).filter((index) => index.length > 0);
  if (indexes.length === 0) return undefined;
  return (document) => {
    const found = paths.map((path) => findIn(document, path));
    for (const index of indexes) checkKey(index, found);
  };
}

function fieldsOf(description: Document, paths: IndexedPath[]): Index {
  const fields = Object.entries(description['key'] as Document).filter(
    ([, kind]) => typeof kind === 'number' || kind === 'hashed',
  );
  return fields.map(([name, kind]) => {
    const index = paths.findIndex((path) => path.name === name);
    const path = index < 0 ? paths.push({ name, parts: name.split('.') }) - 1 : index;
    return { path, name, hashed: kind === 'hashed' };
  });
}

const NO_ARRAYS: readonly string[] = [];

function findIn(document: StoredFields, path: IndexedPath): Found {
  const found: Found = { size: 0, arrays: NO_ARRAYS };
  find(document, path, 0, found);
  return found;
}

function checkKey(index: Index, found: readonly Found[]): void {
  let arrays = NO_ARRAYS;
  let bytes = 5;
  for (const { path, name, hashed } of index) {
    const at = found[path]!;
    if (at.arrays.length > 0) arrays = [...arrays, ...at.arrays];
    bytes += hashed ? 9 : 2 + at.size;
    if (hashed && at.arrays.includes(name)) throw new Unstorable(`an array in the hashed index on ${name}`);
  }
  if (bytes > MAX_KEY_BYTES) throw new Unstorable(`the index key on ${describe(index)} takes ${bytes} bytes`);
  if (arrays.length > 1 && arrays.some((one) => arrays.some((other) => !nested(one, other)))) {
    throw new Unstorable(`two arrays in the index on ${describe(index)}`);
  }
}

const describe = (index: Index): string => index.map(({ name }) => name).join(', ');

const nested = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);

function find(value: unknown, path: IndexedPath, depth: number, found: Found): void {
  if (Array.isArray(value)) {
    const name = path.parts.slice(0, depth).join('.');
    if (!found.arrays.includes(name)) found.arrays = [...found.arrays, name];
    for (const item of value) find(item, path, depth, found);
  } else if (depth === path.parts.length) {
    found.size = Math.max(found.size, sizeOf(value));
  } else if (typeof value === 'object' && value !== null) {
    find((value as StoredFields)[path.parts[depth]!], path, depth + 1, found);
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 5 + Buffer.byteLength(value);
  if (value instanceof Uint8Array) return 5 + value.byteLength;
  if (typeof value !== 'object' || value === null) return 8;
  return BSON.calculateObjectSize({ value }, { ignoreUndefined: true });
}

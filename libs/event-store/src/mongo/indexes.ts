import { BSON, type Db, type Document, MongoServerError } from 'mongodb';
import type { StoredFields } from '../documents.ts';
import { type IndexCheck, MAX_KEY_BYTES, Unstorable } from '../storable.ts';

/** How long a collection's indexes are believed. */
const KNOWN_MS = 30_000;
const NAMESPACE_NOT_FOUND = 26;

interface IndexedPath {
  readonly name: string;
  readonly parts: readonly string[];
  readonly hashed: boolean;
}

type Index = readonly IndexedPath[];

/**
 * What the indexes that exist would refuse on MongoDB 4.0: keys over 1,024 bytes, two arrays in one index, an array under a hashed one.
 * Indexes on places and texts are not looked into. On a unique index every state is refused: one that another document forbids could not
 * be written after its commit.
 */
export class Indexes {
  readonly #db: Db;
  readonly #known = new Map<string, { readonly readAt: number; readonly check: IndexCheck | undefined }>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Makes {@link check} current for these collections. */
  async read(collections: Iterable<string>): Promise<void> {
    const now = performance.now();
    const stale = [...collections].filter((name) => (this.#known.get(name)?.readAt ?? -Infinity) < now - KNOWN_MS);
    await Promise.all(
      stale.map(async (name) => this.#known.set(name, { readAt: now, check: checkOf(await this.#indexesOf(name)) })),
    );
  }

  check(collection: string): IndexCheck | undefined {
    return this.#known.get(collection)?.check;
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

/** The check of these index descriptions, as `listIndexes` gives them; undefined where there is nothing to check. */
export function checkOf(descriptions: readonly Document[]): IndexCheck | undefined {
  const secondary = descriptions.filter((description) => description['name'] !== '_id_');
  const unique = secondary.find((description) => description['unique'] === true);
  if (unique) {
    return () => {
      throw new Unstorable(`unique index ${unique['name']}: states must always be storable`);
    };
  }
  const indexes = secondary.map(pathsOf).filter((index) => index.length > 0);
  if (indexes.length === 0) return undefined;
  return (document) => {
    for (const index of indexes) checkKey(index, document);
  };
}

const pathsOf = (description: Document): Index =>
  Object.entries(description['key'] as Document)
    .filter(([, kind]) => typeof kind === 'number' || kind === 'hashed')
    .map(([name, kind]) => ({ name, parts: name.split('.'), hashed: kind === 'hashed' }));

function checkKey(index: Index, document: StoredFields): void {
  let arrays: string[] | undefined;
  const onArray = (path: string): void => void (arrays ??= []).push(path);
  let bytes = 5;
  for (const path of index) {
    const size = longest(document, path, 0, onArray);
    bytes += path.hashed ? 9 : 2 + size;
    if (path.hashed && arrays?.includes(path.name))
      throw new Unstorable(`an array in the hashed index on ${path.name}`);
  }
  if (bytes > MAX_KEY_BYTES) throw new Unstorable(`the index key on ${describe(index)} takes ${bytes} bytes`);
  if (arrays?.some((one) => arrays?.some((other) => !nested(one, other)))) {
    throw new Unstorable(`two arrays in the index on ${describe(index)}`);
  }
}

const describe = (index: Index): string => index.map((path) => path.name).join(', ');

const nested = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);

/** The size of the longest value at the path; `onArray` hears the paths of arrays on the way. */
function longest(value: unknown, path: IndexedPath, depth: number, onArray: (path: string) => void): number {
  if (Array.isArray(value)) {
    onArray(path.parts.slice(0, depth).join('.'));
    return value.reduce<number>((size, item) => Math.max(size, longest(item, path, depth, onArray)), 0);
  }
  if (depth === path.parts.length) return sizeOf(value);
  if (typeof value !== 'object' || value === null) return 0;
  return longest((value as StoredFields)[path.parts[depth]!], path, depth + 1, onArray);
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 5 + Buffer.byteLength(value);
  if (value instanceof Uint8Array) return 5 + value.byteLength;
  if (typeof value !== 'object' || value === null) return 8;
  return BSON.calculateObjectSize({ value }, { ignoreUndefined: true });
}

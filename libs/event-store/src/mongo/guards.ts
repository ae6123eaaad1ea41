import { type CreateCollectionOptions, type Db, MongoServerError } from 'mongodb';
import { isDeepStrictEqual } from 'node:util';
import { answered } from './answers.ts';

const NAMESPACE_EXISTS = 48;

/** What the server answers for a document that a validator refuses. */
export const VALIDATION_FAILED = 121;

/** The field that says what `rev` must be. A document that has been inserted and never changed has none. */
export const GUARD = 'guard';

const validator = { $or: [{ [GUARD]: { $exists: false } }, { $expr: { $eq: ['$rev', `$${GUARD}`] } }] };

/**
 * Makes a state collection, if it is not there, whose server checks by a validator that a document is still as it was when a patch was
 * decided on: the patch raises `rev` by as much as it should, and says what it must come to. So the patch may name its document by `_id`
 * alone, which the server finds without planning a query (docs/adr/0021-guarded-patches.md).
 */
export const createStates = (db: Db, collection: string): Promise<void> =>
  ensureCollection(db, collection, { validator });

/** Makes a collection, if it is not there: transactions of MongoDB 4.0 do not. */
export async function ensureCollection(db: Db, collection: string, options?: CreateCollectionOptions): Promise<void> {
  try {
    await db.createCollection(collection, options);
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === NAMESPACE_EXISTS)) throw error;
  }
}

/** Which collections {@link createStates} has made; all others are patched by `_id` and `rev`. */
export class Guards {
  readonly #db: Db;
  readonly #known = new Map<string, boolean>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Looks into the collection's options once, when it exists. */
  async has(collection: string): Promise<boolean> {
    return this.#known.get(collection) ?? (await this.#look(collection));
  }

  async #look(collection: string): Promise<boolean> {
    const [found] = await answered(this.#db.listCollections({ name: collection }).toArray());
    if (!found) return false;
    const isGuarded = 'options' in found && isDeepStrictEqual(found.options?.['validator'], validator);
    this.#known.set(collection, isGuarded);
    return isGuarded;
  }
}

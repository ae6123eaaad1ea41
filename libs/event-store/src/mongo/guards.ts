import type { CreateCollectionOptions, Db } from 'mongodb';
import { isDeepStrictEqual } from 'node:util';
import { answered } from './answers.ts';

/** What the server answers for a document that a validator refuses. */
export const VALIDATION_FAILED = 121;

/** The field that says what `rev` must be. A document that has been inserted and never changed has none. */
export const GUARD = 'guard';

const validator = { $or: [{ [GUARD]: { $exists: false } }, { $expr: { $eq: ['$rev', `$${GUARD}`] } }] };

/**
 * What a collection of states is created with whose server checks by a validator that a document is still as it was when a patch was
 * decided on: the patch raises `rev` by as much as it should, and says what it must come to. So the patch may name its document by `_id`
 * alone, which the server finds without planning a query (docs/adr/0021-guarded-patches.md).
 */
export const guarded = { validator } as const satisfies CreateCollectionOptions;

/** Which collections are {@link guarded}; all others are patched by `_id` and `rev`. */
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

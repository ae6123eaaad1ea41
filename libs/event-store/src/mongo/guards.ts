import type { CreateCollectionOptions, Db } from 'mongodb';
import { isDeepStrictEqual } from 'node:util';
import { answered } from './answers.ts';

/** The server's error code for a document that a validator refuses. */
export const VALIDATION_FAILED = 121;

/** The field with the expected `rev`. A document that has never been patched has none. */
export const GUARD = 'guard';

const validator = { $or: [{ [GUARD]: { $exists: false } }, { $expr: { $eq: ['$rev', `$${GUARD}`] } }] };

/**
 * Creation options of a state collection: its validator checks that a document is unchanged since a patch was decided: the patch increments
 * `rev`, and states the expected result. So the patch selects its document by `_id` alone, which the server finds without query planning
 * (docs/adr/0021-guarded-patches.md).
 */
export const guarded = { validator } as const satisfies CreateCollectionOptions;

/** The {@link guarded} collections; all others are patched by `_id` and `rev`. */
export class Guards {
  readonly #db: Db;
  readonly #known = new Map<string, boolean>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Reads the collection's options once, when it exists. */
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

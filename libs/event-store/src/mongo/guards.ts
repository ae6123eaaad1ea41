import type { CreateCollectionOptions, Db } from 'mongodb';
import { isDeepStrictEqual } from 'node:util';
import { withTimeout } from './with-timeout.ts';

export const VALIDATION_FAILED = 121;

export const GUARD = 'guard';

const validator = { $or: [{ [GUARD]: { $exists: false } }, { $expr: { $eq: ['$rev', `$${GUARD}`] } }] };

/** The validator detects concurrent changes: patches select by `_id` alone (ADR 21). */
export const guarded = { validator } as const satisfies CreateCollectionOptions;

export class Guards {
  readonly #db: Db;
  readonly #cached = new Map<string, boolean>();

  constructor(db: Db) {
    this.#db = db;
  }

  async has(collection: string): Promise<boolean> {
    return this.#cached.get(collection) ?? (await this.#query(collection));
  }

  async #query(collection: string): Promise<boolean> {
    const [found] = await withTimeout(this.#db.listCollections({ name: collection }).toArray());
    if (!found) return false;
    const isGuarded = 'options' in found && isDeepStrictEqual(found.options?.['validator'], validator);
    this.#cached.set(collection, isGuarded);
    return isGuarded;
  }
}

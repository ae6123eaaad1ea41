import { type CreateCollectionOptions, type Db, MongoNetworkTimeoutError, MongoServerError } from 'mongodb';
import { type Index, indexesOf, type ModelDefinition } from './model.ts';

const NAMESPACE_EXISTS = 48;

/** A collection as the server creates it. */
export interface CollectionDefinition {
  readonly name: string;
  readonly options: CreateCollectionOptions;
  /** Beside that on `_id`. */
  readonly indexes: readonly Index[];
}

/** {@link ensureCollections} by models. */
export const createCollections = (db: Db, models: readonly ModelDefinition[]): Promise<void> =>
  ensureCollections(
    db,
    models.map((model) => ({ name: model.name, options: model.options, indexes: indexesOf(model) })),
  );

/**
 * Makes the collections that are not there and the indexes that they lack. Several processes may do so at once. An index that no schema has any more
 * stays; one that differs by its key or options from that of the same name is an error of the server. Waits for index builds, however long they take.
 */
export async function ensureCollections(db: Db, collections: readonly CollectionDefinition[]): Promise<void> {
  const listed = await untilAnswered(() => db.listCollections({}, { nameOnly: true }).toArray());
  const found = new Set(listed.map(({ name }) => name));
  await Promise.all(
    collections.map(async ({ name, options, indexes }) => {
      if (!found.has(name)) await untilAnswered(() => createCollection(db, name, options));
      if (indexes.length > 0) await untilAnswered(() => db.collection(name).createIndexes([...indexes]));
    }),
  );
}

/**
 * Repeats a command that the socket timeout has ended, until the server answers. An index build on a large collection lasts longer, and MongoDB 4.0
 * lets all other commands on the database wait for it. The server goes on with the build, and answers the repetition when it is done.
 */
async function untilAnswered<T>(command: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await command();
    } catch (error) {
      if (!(error instanceof MongoNetworkTimeoutError)) throw error;
    }
  }
}

async function createCollection(db: Db, name: string, options: CreateCollectionOptions): Promise<void> {
  try {
    await db.createCollection(name, options);
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === NAMESPACE_EXISTS)) throw error;
  }
}
